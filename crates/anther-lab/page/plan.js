// The tab Plan: which kind, how large, how sure? Two of keys, FPR and memory are given; the third is
// computed, by the program, for every kind.

import { isAborted } from './api.js'
import { code, command } from './copyable.js'
import { element } from './element.js'
import { numberFields, probesField, spanField } from './plan_fields.js'
import { kindTable } from './plan_table.js'
import { plots } from './plan_plots.js'

export const id = 'plan'
export const title = 'Plan'

/// What the tab begins with: the first question of everybody.
const FIRST = { items: '10M', fpr: '1 %', memory: '16 MiB', solve: 'memory' }
/// The names of the state that the program must hear of.
const ASKED = ['items', 'fpr', 'memory', 'solve', 'probes', 'span', 'needs', 'kind']
/// After this rest, in ms, kinds that do not do what is needed are computed, too.
const REST = 150

const NEEDS = [
  ['remove', 'Remove keys'],
  ['count', 'Count how often a key came'],
  ['grow', 'Grow: the number of keys is unknown'],
  ['values', 'Store a value with each key'],
  ['ranges', 'Ranges: is any key between A and B?'],
  ['static', 'Static: built once, from all keys'],
  ['stream', 'Endless stream: only the latest keys'],
  ['adversaries', 'Adversaries choose keys'],
]

/// Puts the tab into its section.
export function mount(section, context) {
  new PlanTab(section, context)
}

class PlanTab {
  constructor(section, context) {
    this.context = context
    this.section = section
    this.fields = numberFields((name, text) => this.change(name, text), (name) => this.solve(name))
    this.probes = probesField((text) => this.set({ probes: text }))
    this.span = spanField((text) => this.set({ span: text }))
    this.more = element('details', { class: 'plan-more' }, element('summary', {}, 'Hash functions'), this.probes.node)
    this.needs = new Map(NEEDS.map(([name, text]) => [name, check(name, text, () => this.changeNeeds())]))
    this.answer = element('div', { class: 'card plan-answer', 'aria-busy': 'true' })
    this.table = kindTable((kind) => this.choose(kind), (row, button) => this.measure(row, button))
    this.plots = plots(context)
    this.formulas = element('table', { class: 'formulas' })
    section.append(
      element('h2', { class: 'unseen' }, 'Plan a filter'),
      element('div', { class: 'columns plan-top' },
        element('form', { class: 'card plan-form', 'aria-label': 'What you know', onsubmit: (event) => event.preventDefault() },
          ...this.fields.all,
          element('fieldset', { class: 'plan-needs' }, element('legend', {}, 'It must'), ...this.needs.values(), this.span.node),
          this.more),
        this.answer),
      this.table.node,
      element('details', { class: 'plan-more' }, element('summary', {}, 'Formulas of a classic filter'),
        element('div', { class: 'wide' }, this.formulas)),
      this.plots.node)
    context.onState(() => { if (!section.hidden) this.follow() })
    this.follow()
  }

  get state() {
    return { ...FIRST, ...this.context.state }
  }

  set(patch) {
    this.since = performance.now()
    this.context.setState(patch)
  }

  /// A number was changed. If it was the computed one, another is computed from now on.
  change(name, text) {
    const other = this.state.solve === name ? { solve: name === 'fpr' ? 'memory' : 'fpr' } : {}
    this.set({ ...other, [name]: text })
  }

  /// The user chose what to compute. What was computed before is given from now on, as it is shown.
  solve(name) {
    const before = this.state.solve
    const shown = this.plan?.[before]?.text
    this.set({ solve: name, ...(shown ? { [before]: shown } : {}) })
  }

  changeNeeds() {
    const chosen = NEEDS.map(([name]) => name).filter((name) => this.needs.get(name).firstChild.checked)
    this.left = null
    this.hasNewNeeds = true
    this.set({ needs: chosen.join(',') })
  }

  choose(kind) {
    this.left = null
    this.set({ kind })
  }

  /// After other needs: a chosen kind that does not meet them would hide the answer.
  leave(plan) {
    this.hasNewNeeds = false
    const { kind } = this.state
    if (!kind || !plan.recommended || plan.rows.find((row) => row.kind === kind)?.meets !== false) return
    this.left = kind
    this.set({ kind: null })
  }

  /// Shows the state, and asks if the answer may have changed.
  follow() {
    const { state } = this
    const chosen = (state.needs ?? '').split(',')
    for (const [name, node] of this.needs) node.firstChild.checked = chosen.includes(name)
    this.fields.show(state, this.plan)
    this.probes.show(state)
    this.span.show(state, chosen.includes('ranges'))
    this.plots.follow()
    const asked = JSON.stringify(ASKED.map((name) => state[name]))
    if (asked === this.asked) return
    this.asked = asked
    this.since ??= performance.now()
    this.hurry()
  }

  question(isQuick) {
    const { state } = this
    const given = ['items', 'fpr', 'memory'].filter((name) => name !== state.solve)
    const names = [...given, 'probes', 'span']
    const fields = Object.fromEntries(names.filter((name) => state[name]).map((name) => [name, state[name]]))
    return { fields, needs: (state.needs ?? '').split(',').filter(Boolean), kind: state.kind || null, quick: isQuick }
  }

  /// Asks for the kinds that matter, one question at a time, so that a moving slider is drawn as it
  /// moves; then, after a rest, for all.
  async hurry() {
    if (this.isAsking) return
    clearTimeout(this.timer)
    // The answer for all kinds is out of date.
    this.before?.abort()
    this.isAsking = true
    let drawn
    while (drawn !== this.asked) {
      drawn = this.asked
      const { since } = this
      await this.ask(true)
      requestAnimationFrame(() => {
        if (since !== null) document.documentElement.dataset.drawn = Math.round(performance.now() - since)
      })
    }
    this.since = null
    this.isAsking = false
    this.timer = setTimeout(() => this.ask(false), REST)
  }

  async ask(isQuick) {
    this.before = new AbortController()
    const { asked } = this
    try {
      const plan = await this.context.api('plan', this.question(isQuick), { signal: this.before.signal })
      this.plan = plan
      if (this.hasNewNeeds && asked === this.asked) this.leave(plan)
      this.show(plan, isQuick)
    } catch (error) {
      if (isAborted(error)) return
      this.showError(error)
    }
  }

  show(plan, isQuick) {
    const { state } = this
    this.fields.show(state, plan)
    this.refuse(null)
    this.table.show(plan, state, isQuick)
    this.showAnswer(plan)
    this.formulas.replaceChildren(element('tbody', {}, ...plan.formulas.map(({ formula, value }) => element('tr', {},
      element('th', { scope: 'row' }, formula), element('td', {}, value)))))
    if (!isQuick) {
      this.plots.show(plan)
      this.context.say([plan.chosen && `${plan.chosen}.`, ...plan.headline.map(sentence)].filter(Boolean).join(' '))
    }
  }

  /// Shows an error at its field, and what was computed before as out of date; null: all is right.
  refuse(error) {
    const isAtField = [this.fields, this.probes, this.span].map((fields) => fields.refuse(error, this.state)).includes(true)
    if (this.probes.isWrong()) this.more.open = true
    const isStale = isAtField && this.plan !== undefined
    for (const node of [this.answer, this.table.node, this.formulas, this.plots.node]) node.classList.toggle('stale', isStale)
    this.answer.setAttribute('aria-busy', isStale)
    return isAtField
  }

  showError(error) {
    const isAtField = this.refuse(error)
    if (isAtField && this.plan) return
    this.answer.replaceChildren(isAtField ? element('p', { class: 'quiet' }, 'Correct the marked field.')
      : element('p', { class: 'error', role: 'alert' }, error.message))
  }

  showAnswer(plan) {
    const { answer, state } = { answer: this.answer, state: this.state }
    answer.setAttribute('aria-busy', 'false')
    const row = plan.rows.find((one) => one.kind === plan.chosen)
    if (!row?.solved) {
      answer.replaceChildren(element('h3', {}, plan.chosen ?? 'No kind does all of this'),
        element('p', {}, sentence(row?.error ?? plan.reason)), this.back(plan) ?? '')
      return
    }
    const { solved } = row
    const time = this.table.timeOf(row)
    const isBest = plan.chosen === plan.recommended
    const why = isBest ? plan.reason : row.purpose
    const adversaries = (state.needs ?? '').split(',').includes('adversaries')
    const notes = [...row.notes]
    if (adversaries) notes.unshift('with a secret key, so that nobody can craft false positives')
    if (!row.meets) notes.unshift('does not do all that you need')
    const parts = [
      element('div', { class: 'plan-kind' },
        element('span', { class: 'label' }, isBest ? 'Use' : 'You chose'),
        element('h3', {}, plan.chosen), element('p', { class: 'quiet' }, sentence(why)),
        this.left ? element('p', { class: 'plan-left' }, `You chose ${this.left}, which does not do all of this.`) : null, this.back(plan)),
      element('div', { class: 'plan-stats' },
        stat('FPR', solved.fpr_text, solved.one_in, state.solve === 'fpr'),
        stat('Memory', solved.size_text, `${solved.bits_text} bits per key`, state.solve === 'memory'),
        stat('Keys', solved.keys_text, hashFunctions(solved.probes), state.solve === 'items'),
        stat('Time per lookup', time.text, element('span', { class: 'quiet' }, time.from, ' ', time.button), false)),
      element('p', { class: 'plan-headline' }, plan.headline[1] ?? ''),
      plan.headline[2] ? element('p', {}, plan.headline[2]) : null,
      plan.bound ? element('p', { class: 'quiet' }, `No filter can take less than ${plan.bound.bits_per_key} bits per key here: ${plan.bound.size}.`) : null,
      notes.length ? element('ul', { class: 'plan-notes quiet' }, ...notes.map((text) => element('li', {}, sentence(text)))) : null,
      this.lines(plan),
    ]
    // Redrawing must not take the focus from the lines.
    const held = answer.contains(document.activeElement) ? document.activeElement.dataset.keep : null
    answer.replaceChildren(...parts.filter(Boolean))
    if (held) answer.querySelector(`[data-keep="${held}"]`)?.focus()
  }

  /// A way back to the recommended kind.
  back(plan) {
    if (!plan.recommended || plan.chosen === plan.recommended) return null
    return element('button', { type: 'button', class: 'plain', 'data-keep': 'back', onclick: () => this.choose(null) },
      `Use ${plan.recommended} instead`)
  }

  /// The lines to copy, one language at a time.
  lines(plan) {
    const chosen = plan.lines.find((line) => line.title === this.state.lines) ?? plan.lines[0]
    const choices = plan.lines.map((line) => element('label', { class: 'segment' },
      element('input', { type: 'radio', name: 'plan-lines', value: line.title, checked: line === chosen, 'data-keep': `lines-${line.title}`,
        onchange: () => { this.context.setState({ lines: line.title }); this.showAnswer(plan) } }), line.title))
    const say = (text) => this.context.say(text)
    const text = chosen.text && (chosen.title === 'Rust' || chosen.title === 'Python'
      ? [code(chosen.text, say)] : chosen.text.split('\n').map((line) => command(line, say)))
    return element('div', { class: 'plan-lines' },
      element('div', { class: 'segments', role: 'radiogroup', 'aria-label': 'Lines to copy' }, ...choices),
      ...(text || []), chosen.note ? element('p', { class: 'quiet' }, chosen.note) : null)
  }

  /// Measures a kind on this machine.
  async measure(row, button) {
    button.disabled = true
    button.textContent = 'measuring …'
    try {
      const keyed = (this.state.needs ?? '').split(',').includes('adversaries')
      const fields = { items: String(row.solved.items), fpr: String(row.solved.fpr), span: this.state.span || null }
      const measured = await this.context.api('measure-now', { kind: row.kind, fields, keyed })
      this.table.time(row.kind, measured)
      this.showAnswer(this.plan)
      this.context.say(`${row.kind}: ${measured.text} per lookup, with ${measured.with}`)
    } catch (error) {
      this.context.fail(error)
    }
    button.disabled = false
    button.textContent = 'measure'
  }
}

function check(name, text, onchange) {
  return element('label', { class: 'check' }, element('input', { type: 'checkbox', name: `need-${name}`, onchange }), element('span', {}, text))
}

function stat(name, value, note, isComputed) {
  return element('div', { class: isComputed ? 'plan-stat computed' : 'plan-stat' },
    element('span', { class: 'label' }, name), element('strong', {}, value), note instanceof Node ? note : element('span', { class: 'quiet' }, note))
}

function hashFunctions(count) {
  return count ? `${count} hash function${count === 1 ? '' : 's'}` : ''
}

/// A remark of the program as a sentence.
function sentence(text) {
  return text === '' ? '' : text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
