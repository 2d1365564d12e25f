// The kinds of the tab Plan, side by side.

import { element } from './element.js'

/// The table. `onchoose(kind)`; `onmeasure(row, button)` to measure a kind on this machine.
export function kindTable(onchoose, onmeasure) {
  const table = new KindTable(onchoose, onmeasure)
  return { node: table.node, show: table.show.bind(table), time: table.time.bind(table), timeOf: table.timeOf.bind(table) }
}

class KindTable {
  constructor(onchoose, onmeasure) {
    this.onchoose = onchoose
    this.onmeasure = onmeasure
    /// Times that were measured here, by kind.
    this.measured = new Map()
    this.body = element('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'All kinds' })
    this.about = element('p', { class: 'quiet' })
    this.node = element('div', { class: 'plan-kinds' }, element('h2', {}, 'All kinds'), this.body, this.about)
  }

  /// A time that was measured now.
  time(kind, measured) {
    this.measured.set(kind, measured)
    this.draw()
  }

  /// A quick answer has fewer rows: the others stay as they were until the full one comes.
  show(plan, state, isQuick) {
    const asked = JSON.stringify([plan.items?.number, plan.fpr?.number, state.span, state.needs])
    // Times depend on the numbers, so they go with them.
    if (!isQuick && this.asked !== asked) this.measured.clear()
    if (!isQuick) this.asked = asked
    const old = (this.rows ?? []).filter((row) => !plan.rows.some((one) => one.kind === row.kind))
    this.rows = isQuick ? [...plan.rows, ...old.map((row) => ({ ...row, isOld: true }))] : plan.rows
    this.plan = plan
    this.state = state
    this.draw()
  }

  draw() {
    const { plan, state, rows } = this
    // Who needs nothing special wants to insert keys.
    const isSpecial = (state.needs ?? '').split(',').some((need) => need !== '' && need !== 'adversaries')
    const does = rows.filter((row) => row.meets && !row.isOld && (isSpecial || row.can.includes('insert')))
    const others = rows.filter((row) => !does.includes(row))
    const widest = Math.max(...rows.map((row) => Math.min(row.solved?.bits_per_key ?? 0, 40)), 1)
    // Given, they are the same for all.
    const hasKeys = state.solve === 'items'
    const is = (name) => (state.solve === name ? 'number computed' : 'number')
    const head = element('thead', {}, element('tr', {},
      ...[['Kind', ''], hasKeys && ['Keys', is('items')], ['FPR', is('fpr')], ['Memory', is('memory')], ['Bits per key', 'number'],
        [bound(), 'number'], ['Hash functions', 'number'], ['Time per lookup', 'number'], ['Can', '']]
        .filter(Boolean).map(([name, kind]) => element('th', { scope: 'col', class: kind }, name))))
    const group = (title, list) => list.length === 0 ? null : element('tbody', {},
      title ? element('tr', { class: 'group' }, element('th', { scope: 'rowgroup', colspan: hasKeys ? 9 : 8 }, title)) : null,
      ...list.map((row) => this.row(row, plan, is, widest, hasKeys)))
    const groups = [
      group(isSpecial ? 'These do what you need' : null, does),
      group(isSpecial ? 'These do not' : 'For other needs', others),
    ]
    const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.keep : null
    this.body.replaceChildren(element('table', { class: 'kinds' },
      element('caption', { class: 'unseen' }, 'Every kind for these numbers, the recommended one first'), head, ...groups.filter(Boolean)))
    if (held) this.body.querySelector(`[data-keep="${held}"]`)?.focus()
    this.about.textContent = plan.record
  }

  row(row, plan, is, widest, hasKeys) {
    const isChosen = row.kind === plan.chosen
    const radio = element('input', { type: 'radio', name: 'plan-kind', value: row.kind, checked: isChosen, 'data-keep': `kind-${row.kind}`,
      onchange: () => this.onchoose(row.kind === plan.recommended ? null : row.kind) })
    const name = element('th', { scope: 'row' }, element('label', { class: 'plan-choice' }, radio,
      element('span', {}, element('strong', {}, row.kind), row.kind === plan.recommended ? element('span', { class: 'best' }, 'best') : null,
        element('small', {}, unbroken(row.purpose)))))
    const classes = [isChosen && 'chosen', (!row.meets || row.isOld) && 'other', row.isOld && 'old'].filter(Boolean).join(' ')
    if (row.isOld || !row.solved) {
      // Numbers of another question would be read as those of this one.
      const why = row.isOld ? 'Not yet computed for these numbers.' : row.error
      return element('tr', { class: classes }, name, element('td', { colspan: hasKeys ? 8 : 7, class: 'quiet' }, why))
    }
    const { solved } = row
    const bar = element('span', { class: 'bar', 'aria-hidden': true })
    bar.style.width = `${100 * Math.min(1, solved.bits_per_key / widest)}%`
    const time = this.timeOf(row)
    // One stop for the keyboard: that of the chosen kind, which the arrows move.
    if (!isChosen) time.button.tabIndex = -1
    const sent = solved.sent_text ? `${solved.bits_text}; ${solved.sent_text} in a file` : solved.bits_text
    return element('tr', { class: classes }, name,
      hasKeys ? element('td', { class: is('items') }, solved.keys_text) : null,
      element('td', { class: is('fpr') }, solved.fpr_text),
      element('td', { class: is('memory') }, solved.size_text),
      element('td', { class: 'number bits' }, sent, bar),
      element('td', { class: 'number' }, solved.overhead_text),
      element('td', { class: 'number' }, solved.probes ?? '–'),
      element('td', { class: 'number time' }, element('span', said(time), time.text), time.button),
      element('td', { class: 'can' }, row.can.join(', ')))
  }

  /// The time of a lookup on this machine or in the record, where it is from, and a button that measures.
  timeOf(row) {
    const measured = this.measured.get(row.kind)
    const button = element('button', { type: 'button', class: 'plain small', 'data-keep': `time-${row.kind}`,
      'aria-label': `Measure a lookup in ${row.kind} on this machine`, onclick: () => this.onmeasure(row, button) }, measured ? 'again' : 'measure')
    if (measured) return { text: measured.text, from: `here, ${measured.with}`, button }
    const { time } = row.solved
    return time ? { text: time.text, from: unbroken(`record, ${time.with}`), button } : { text: '–', from: 'not in the record', button }
  }
}

/// The head of the column that compares with the least memory of any filter.
function bound() {
  const what = 'n·log2(1/FPR) bits: no filter that finds all of its n keys can take less'
  return element('abbr', { title: what }, 'Over the bound')
}

/// A time; for those who do not see it, a dash in words.
function said({ text, from }) {
  return text === '–' ? { title: from, role: 'img', 'aria-label': from } : { title: from }
}

/// The text, with numbers such as 1e-5 and 1 % on one line each.
function unbroken(text) {
  return text.replace(/(\de)-(\d)/g, '$1\u2011$2').replace(/(\d) %/g, '$1\u00a0%')
}
