// The tab Look: small filters of any kind, cell by cell and step by step.
//
// The whole history is in the address. Every change asks `api/look`, which replays it on the library's
// own filters and tells one step of it; history.js has its form.

import { element } from './element.js'
import { picture } from './cells.js'
import { filling } from './filling.js'
import * as history from './history.js'
import { isAborted } from './api.js'

export const id = 'look'
export const title = 'Look'

const MOST_KINDS = 4
const MORE_KEYS = 5
const MOST_OVERFILLED = 100
const MOST_REASONS = 16
/// As the server has it.
const MOST_CELLS = 8192

/// What the tab begins with: the kind and the rate of the tab Plan, if one was chosen there.
function begins({ kind, fpr }, kinds, first) {
  if (!kinds.some(({ name }) => name === kind)) return first
  const own = history.withOwnHash(first)
  return { ...own, kinds: [kind], fpr: fpr ?? own.fpr }
}

/// Puts the tab into its section.
export async function mount(section, context) {
  const { api, say, fail } = context
  const [kinds, { examples, texts }] = await Promise.all([api('kinds'), api('examples')])
  if (!context.state['look-kinds']) context.setState(history.toState(begins(context.state, kinds, examples[0].history)))

  const kindList = element('div', { class: 'row' })
  const size = element('div', { class: 'row' })
  const key = element('input', {
    type: 'text', id: 'look-key', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
    'aria-describedby': 'look-key-help look-key-refused',
  })
  const keyHelp = element('small', { id: 'look-key-help' })
  const keyRefused = element('p', { class: 'error', id: 'look-key-refused', role: 'alert', hidden: true })
  const remove = element('button', { type: 'button', onclick: () => act('remove') }, 'Remove')
  const overfill = element('button', { type: 'button', onclick: () => insertNew(missing(now())) })
  const form = element('form', { class: 'row acts', onsubmit: (event) => { event.preventDefault(); act('insert') } },
    element('label', { class: 'grow' }, element('span', { class: 'label' }, 'Key'), key),
    element('button', { type: 'submit', class: 'primary' }, 'Insert'),
    element('button', { type: 'button', onclick: () => act('query') }, 'Look up'),
    remove,
    element('button', { type: 'button', onclick: () => insertNew(MORE_KEYS) }, `Insert ${MORE_KEYS} more`),
    overfill,
    element('button', { type: 'button', class: 'plain', onclick: () => change({ acts: [], at: 0 }) }, 'Start again'))
  const steps = element('ol', { class: 'steps', 'aria-label': 'Steps' })
  const [first, back, forward, last] = [
    ['First', 'Go to the first step', () => go(0)], ['← Back', 'Go one step back', () => go(now().at - 1)],
    ['Forward →', 'Go one step forward', () => go(now().at + 1)], ['Last', 'Go to the last step', () => go(Infinity)],
  ].map(([text, label, onclick]) => element('button', { type: 'button', 'aria-label': label, onclick }, text))
  const where = element('span', { class: 'where' })
  const whole = element('input', { type: 'checkbox', onchange: () => draw() })
  const views = element('div', { class: 'views' })
  const fill = element('section', { class: 'card filling', 'aria-labelledby': 'fill-title' })

  const exampleButtons = examples.map((example) => element('button', {
    type: 'button', 'data-figure': example.figure,
    onclick: () => { change(null, { all: example.history }); say(`Example: ${example.question}`) },
  }, example.question, ' ', element('small', {}, example.source)))

  section.append(
    element('h2', { class: 'unseen' }, 'Look'),
    element('p', { class: 'lead' },
      'A filter in full view. Insert keys, look keys up, and see which cells answer and why.'),
    element('nav', { class: 'examples', 'aria-label': 'Worked examples of the texts' },
      exampleButtons),
    element('div', { class: 'card controls stack' }, element('div', { class: 'row setup' }, kindList, size), form, keyHelp, keyRefused),
    element('div', { class: 'stepper' },
      element('div', { class: 'row' }, first, back, forward, last, where,
        element('label', { class: 'check whole' }, whole, 'All cells')),
      steps),
    views, fill,
    element('section', { class: 'texts quiet', 'aria-labelledby': 'texts-title' },
      element('h3', { id: 'texts-title' }, 'The texts of the examples'),
      element('ul', {}, texts.map((text, at) => element('li', {}, `[${at + 1}] ${text}`)))))
  filling(fill, context, () => now().kinds)

  // ---- What a visitor does. ----

  function now() {
    return history.fromState(context.state)
  }

  /// Changes some of the history, or replaces all of it. The browser's Back undoes it, unless it is
  /// only a look at another step.
  function change(patch, { all = { ...now(), ...patch }, isStep = true } = {}) {
    context.setState(history.toState(all), { isStep })
  }

  /// Adds acts after the step that is shown, one call after the other.
  let added = Promise.resolve()
  function append(acts) {
    section.dataset.done = 'false'
    added = added.then(() => add(acts)).catch(fail)
  }

  /// What came after the step is dropped, as in every editor. Acts that no filter can draw are refused:
  /// in the history, they would stop every act after them.
  async function add(acts) {
    const { acts: old, at } = now()
    const kept = [...old.slice(0, at), ...acts]
    const refused = await refusal({ ...now(), acts: kept, at: kept.length })
    keyRefused.textContent = refused ?? ''
    keyRefused.hidden = !refused
    if (!refused) {
      change({ acts: kept, at: kept.length })
      return
    }
    section.dataset.done = 'true'
    key.focus()
  }

  /// Why no filter can draw a history, where some of them drew the one before.
  async function refusal(wanted) {
    try {
      const { views } = await api('look', wanted)
      const isNew = ({ error }, index) => error && error !== told[index]?.error
      return views.every(isNew) ? sentence(views[0].error) : null
    } catch (error) {
      return error.message
    }
  }

  function act(name) {
    const keys = key.value.split(',').map((text) => text.trim()).filter((text) => text !== '')
    if (keys.length === 0) {
      key.focus()
      say('Type a key first.')
      return
    }
    append(keys.map((text) => ({ [name]: text })))
    key.select()
  }

  /// Inserts keys that were not inserted yet.
  function insertNew(count) {
    const { acts, at, worked, kinds: chosen } = now()
    const hasValues = kinds.some((kind) => kind.values && chosen.includes(kind.name))
    const keys = history.newKeys(acts.slice(0, at), count, worked !== null)
    append(keys.map((text, at) => ({ insert: hasValues ? `${text}=${at + 1}` : text })))
  }

  /// How many keys are missing until there are twice as many as the filters were made for; 0 where
  /// that is unknown, or too many steps.
  function missing({ acts, at, worked, items }) {
    const wanted = worked === null ? 2 * (history.countOf(items) ?? 0) : 0
    const inserted = acts.slice(0, at).filter((act) => 'insert' in act).length
    return wanted <= MOST_OVERFILLED ? Math.max(0, wanted - inserted) : 0
  }

  function go(to) {
    const { acts, at } = now()
    const step = Math.max(0, Math.min(acts.length, to))
    if (step !== at) change({ at: step }, { isStep: false })
  }

  section.addEventListener('keydown', (event) => {
    if (event.target.closest('input:not([type=checkbox]), select, textarea, .chart') || event.altKey || event.ctrlKey || event.metaKey) return
    const { at } = now()
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key]
    if (to === undefined) return
    event.preventDefault()
    go(to)
  })

  // ---- What the page shows. ----

  /// Another kind or rate of the tab Plan, chosen since, comes instead of what is here.
  let planned = { kind: context.state.kind, fpr: context.state.fpr }
  function follow() {
    const { kind, fpr } = context.state
    const before = planned
    planned = { kind, fpr }
    const isNewKind = kind !== before.kind && kinds.some(({ name }) => name === kind)
    // Formulas have no rate, and most kinds have none.
    const hadFormulas = now().worked !== null
    const isNewRate = fpr && (hadFormulas ? isNewKind : fpr !== before.fpr)
    if (!isNewKind && !isNewRate) return
    const own = hadFormulas ? history.withOwnHash(now()) : now()
    const all = { ...own, kinds: isNewKind ? [kind] : own.kinds, fpr: isNewRate ? fpr : own.fpr }
    change(null, { all, isStep: false })
  }

  let shown = ''
  let told = []
  let controller = new AbortController()

  async function refresh() {
    const wanted = now()
    const text = JSON.stringify(wanted)
    if (text === shown) return
    shown = text
    section.dataset.done = 'false'
    showControls(wanted)
    controller.abort()
    controller = new AbortController()
    try {
      const answer = await api('look', wanted, { signal: controller.signal })
      told = answer.views
      draw()
      section.dataset.done = 'true'
      say(told.map((view) => spoken(view, told.length > 1)).join(' '))
    } catch (error) {
      if (!isAborted(error)) fail(error)
    }
  }

  function showControls(wanted) {
    const focus = document.activeElement?.id
    showKinds(wanted)
    showSize(wanted)
    keyRefused.hidden = true
    // Of an example, any step may be shown.
    const story = (of) => JSON.stringify(history.toState({ ...of, at: 0 }))
    examples.forEach((example, at) =>
      exampleButtons[at].setAttribute('aria-pressed', story(example.history) === story(wanted)))
    if (focus) document.getElementById(focus)?.focus()
    const chosen = kinds.filter((kind) => wanted.kinds.includes(kind.name))
    remove.disabled = wanted.worked === null && !chosen.some((kind) => kind.remove)
    overfill.hidden = missing(wanted) === 0
    overfill.textContent = `Fill to ${2 * history.countOf(wanted.items)} keys, twice its capacity`
    const help = wanted.worked !== null
      ? 'Keys are whole numbers here. Several at once: 2, 4, 9.'
      : chosen.some((kind) => kind.values) ? 'With a value: ant=3. Several at once: ant=3, bee=5.'
        : 'Any text. Several at once: ant, bee, cat.'
    keyHelp.replaceChildren(help, element('span', { id: 'look-kind-help' }, wanted.worked === null ? ''
      : ' Formulas are for classic and counting; “the library’s own” hash functions are for all kinds.'))
  }

  function showKinds({ kinds: chosen, worked }) {
    const options = (selected) => kinds
      .filter((kind) => worked === null || ['classic', 'counting'].includes(kind.name))
      .map((kind) => element('option', { value: kind.name, selected: kind.name === selected }, kind.name))
    const replace = (at, name) => change({ kinds: chosen.toSpliced(at, 1, name) })
    kindList.replaceChildren(...chosen.map((name, at) => element('div', { class: 'kind' },
      element('label', {}, element('span', { class: 'label' }, at === 0 ? 'Kind' : 'Compared with'),
        element('select', { id: `look-kind-${at}`, 'aria-describedby': 'look-kind-help', onchange: (event) => replace(at, event.target.value) }, options(name))),
      chosen.length > 1
        ? element('button', {
          type: 'button', class: 'plain', 'aria-label': `Remove ${name} from the comparison`, onclick: () => change({ kinds: chosen.toSpliced(at, 1) }),
        }, '✕') : null)))
    const most = worked === null ? MOST_KINDS : 2
    if (chosen.length < most) {
      const next = ['counting', 'cuckoo', 'quotient', 'scalable', 'classic'].find((name) =>
        !chosen.includes(name) && (worked === null || ['classic', 'counting'].includes(name)))
      kindList.append(element('button', { type: 'button', id: 'look-beside', onclick: () => change({ kinds: [...chosen, next] }) },
        'Compare with another kind'))
    }
  }

  function showSize(wanted) {
    // `check` says what is wrong with a text; then the state stays as it is.
    const field = (id, label, value, width, set, check = () => '') => {
      const refused = element('small', { class: 'error', id: `${id}-refused`, role: 'alert' })
      const take = ({ target }) => {
        const text = target.value.trim()
        refused.textContent = check(text)
        target.setAttribute('aria-invalid', refused.textContent !== '')
        if (refused.textContent === '') set(text)
      }
      return element('div', {}, element('label', {},
        element('span', { class: 'label' }, label),
        element('input', {
          type: 'text', id, value, size: width, autocomplete: 'off', spellcheck: 'false',
          'aria-describedby': refused.id, onchange: take,
        })), refused)
    }
    const isCells = (text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_CELLS
    const hash = element('label', {}, element('span', { class: 'label' }, 'Hash functions'),
      element('select', {
        id: 'look-hash',
        onchange: (event) => change(null, { all: event.target.value === 'own' ? history.withOwnHash(now()) : history.withFormulas(now()) }),
      },
      element('option', { value: 'own', selected: wanted.worked === null }, 'the library’s own'),
      element('option', { value: 'formulas', selected: wanted.worked !== null }, 'formulas, as in the texts')))
    const fields = wanted.worked !== null
      ? [
          field('look-bits', 'Cells', wanted.worked.bits, 5, (text) => change({ worked: { ...wanted.worked, bits: Number(text) } }),
            (text) => (isCells(text) ? '' : `A whole number, 1 to ${MOST_CELLS.toLocaleString('en')}.`)),
          field('look-hashes', 'Formulas in x', wanted.worked.hashes.join(', '), 18, (text) =>
            change({ worked: { ...wanted.worked, hashes: text.split(',').map((part) => part.trim()).filter(Boolean) } }),
          (text) => (/[^,\s]/.test(text) ? '' : 'At least one, such as 2x+3.')),
        ]
      : [
          field('look-items', 'Made for keys', wanted.items, 6, (items) => change({ items })),
          field('look-fpr', 'at an FPR of', wanted.fpr, 6, (fpr) => change({ fpr })),
          wanted.kinds.includes('cascade')
            ? field('look-others', 'Second list: keys it must not match', wanted.others.join(', '), 24, (text) =>
              change({ others: text.split(',').map((part) => part.trim()).filter(Boolean) })) : null,
        ]
    size.replaceChildren(...fields.filter(Boolean), hash)
  }

  /// Draws what was told last.
  function draw() {
    if (told.length === 0) return
    const wanted = now()
    const good = told.find((view) => !view.error)
    const { steps: all, at } = good ?? { steps: [], at: 0 }
    const hadFocus = steps.contains(document.activeElement)
    steps.replaceChildren(...all.map((step, number) => element('li', {}, element('button', {
      type: 'button', class: `step ${step.action}`, tabindex: number === at ? 0 : -1,
      'aria-current': number === at ? 'step' : null, onclick: () => go(number),
    }, signOf(step), element('span', { class: 'flag' }, flags(number))))))
    const current = steps.querySelector('[aria-current]')
    if (hadFocus) current?.focus({ preventScroll: true })
    if (current) steps.scrollLeft = current.parentElement.offsetLeft - steps.offsetLeft - steps.clientWidth / 2
    where.textContent = all.length > 0 ? `Step ${at} of ${all.length - 1}` : ''
    first.disabled = back.disabled = at === 0
    forward.disabled = last.disabled = at >= all.length - 1
    views.classList.toggle('several', told.length > 1)
    views.replaceChildren(...told.map((view) => drawView(view, wanted)))
    for (const [index, view] of told.entries()) {
      if (view.error) continue
      const place = views.children[index].querySelector('.picture')
      place.replaceChildren(...picture(view, {
        width: place.clientWidth, names: wanted.worked?.hashes ?? [], isWhole: whole.checked,
      }))
    }
  }

  /// What went wrong in a step, and for which kinds.
  function flags(number) {
    const wrong = new Map()
    for (const { kind, steps } of told.filter((view) => !view.error)) {
      const { verdict, rejected } = steps[number]
      const what = rejected ? 'rejected' : verdict?.startsWith('false') ? verdict : null
      if (what) wrong.set(what, [...wrong.get(what) ?? [], kind])
    }
    return [...wrong].map(([what, kinds]) => ` ${what}${told.length > 1 ? ` (${kinds.join(', ')})` : ''}`).join(';')
  }

  let width = 0
  new ResizeObserver(() => {
    if (views.clientWidth === width || section.hidden) return
    width = views.clientWidth
    // Drawing within the observer would change what it observes.
    requestAnimationFrame(draw)
  }).observe(views)

  context.onState(() => {
    if (section.hidden) return
    follow()
    refresh()
  })
  await refresh()
}

// ---- A filter. ----

function drawView(view, wanted) {
  if (view.error) {
    return element('article', { class: 'card view' }, element('h3', {}, view.kind),
      element('p', { class: 'error' }, sentence(view.error)))
  }
  const { step } = view
  return element('article', { class: 'card view', 'aria-label': view.kind },
    element('header', {}, element('h3', {}, view.kind, ' ', element('small', {}, view.purpose)),
      element('p', { class: 'quiet' }, view.about)),
    element('div', { class: 'told' }, headline(view),
      view.why ? element('p', { class: 'why' }, view.why) : null,
      step.note && !(view.why && wanted.worked !== null) ? element('p', { class: view.why ? 'quiet' : 'why' }, sentence(step.note)) : null),
    element('div', { class: 'picture' }),
    element('div', { class: 'details' }, reasonTable(view),
      element('dl', { class: 'facts' }, view.facts.flatMap(([name, value]) =>
        [element('dt', {}, name), element('dd', {}, value)]))))
}

/// What happened, and the answer.
function headline({ step, verdict, rejected }) {
  const answers = {
    maybe: ['maybe', '✓', 'maybe'], no: ['no', '✕', 'no'],
    'false positive': ['wrong', '!', 'maybe – a false positive'],
    'false negative': ['wrong', '!', 'no – a false negative'],
  }
  const [name, mark, text] = answers[verdict] ?? (rejected ? ['wrong', '!', 'rejected'] : [])
  const asked = { look: 'An empty filter', insert: 'Insert ', query: 'Is ', remove: 'Remove ' }[step.action]
  return element('p', { class: 'headline' }, asked,
    step.key ? element('code', {}, step.key) : null, step.action === 'query' ? ' in? ' : ' ',
    name ? element('strong', { class: `verdict ${name}` }, element('span', { 'aria-hidden': 'true' }, mark), ` ${text}`) : null)
}

/// The key's cells one by one: which hash function leads there, what is in it, and whose it is.
function reasonTable({ step, reasons }) {
  const rows = distinct(reasons)
  if (rows.length === 0 || rows.length > MOST_REASONS) return null
  const hasHash = rows.some((reason) => reason.hash)
  const hasKeys = rows.some((reason) => reason.keys.length > 0)
  const isBucket = rows[0].place.startsWith('bucket')
  const whose = { bit: 'set by', counter: 'raised by', bucket: 'left by' }[rows[0].place.split(' ')[0]] ?? 'a cell of'
  return element('div', { class: 'wide' }, element('table', { class: 'reasons' },
    element('thead', {}, element('tr', {},
      hasHash ? element('th', { scope: 'col' }, isBucket ? 'Choice' : 'Hash function') : null,
      element('th', { scope: 'col' }, 'leads to'), element('th', { scope: 'col' }, 'which holds'),
      hasKeys ? element('th', { scope: 'col' }, whose) : null)),
    element('tbody', {}, rows.map((reason) => element('tr', { class: reason.missing ? 'missing' : null },
      hasHash ? element('td', {}, reason.formula ?? (reason.hash ? `${isBucket ? '' : 'h'}${reason.hash}` : '–')) : null,
      element('td', {}, reason.place),
      element('td', { class: 'mono' }, reason.value || 'nothing', reason.missing ? ' ✕' : ''),
      hasKeys ? element('td', {}, names(reason.keys, step.key)) : null)))))
}

/// Each place once for each hash function. Empty slots of buckets that have others are left out.
function distinct(reasons) {
  const known = new Set()
  const used = new Set(reasons.filter((reason) => reason.value !== '').map((reason) => reason.place))
  return reasons.filter((reason) => {
    if (reason.value === '' && used.has(reason.place)) return false
    const text = JSON.stringify([reason.hash, reason.place, reason.value])
    if (known.has(text)) return false
    known.add(text)
    return true
  })
}

function names(keys, own) {
  const most = 4
  const shown = keys.map((key) => (key === own ? `${key} itself` : key))
  const more = shown.length > most ? ` and ${shown.length - most} more` : ''
  return shown.length === 0 ? 'nobody' : shown.slice(0, most).join(', ') + more
}

function signOf({ action, title }) {
  const [, key] = title.match(/^\w+ (.*)$/) ?? []
  return { insert: `+ ${key}`, query: `${key} ?`, remove: `− ${key}` }[action] ?? title
}

function spoken(view, isOneOfSeveral) {
  if (view.error) return sentence(`${view.kind}: ${view.error}`)
  const { step, verdict, why } = view
  const told = sentence(`${isOneOfSeveral ? `${view.kind}: ` : ''}${step.title}${verdict ? `: ${verdict}` : ''}`)
  return `${told} ${why ?? sentence(step.note)}`.trim()
}

function sentence(text) {
  if (!text) return ''
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.')
}
