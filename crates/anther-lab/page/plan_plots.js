// The plots of the tab Plan: several kinds at once.

import { isAborted } from './api.js'
import { chart } from './chart.js'
import { element } from './element.js'

const PLOTS = [
  ['bits', 'FPR by bits per key'],
  ['fill', 'FPR by fill'],
  ['keys', 'Memory by keys'],
]
/// What is drawn beside the chosen kind.
const USUAL = ['blocked', 'classic', 'cuckoo', 'ribbon', 'quotient']
const MOST = 5

/// The plots; `show(plan)` with a new answer, `follow()` when the state has changed.
export function plots(context) {
  const plot = new Plots(context)
  return { node: plot.node, show: plot.show.bind(plot), follow: plot.follow.bind(plot) }
}

class Plots {
  constructor(context) {
    this.context = context
    this.place = element('div', { class: 'chart-place' })
    this.error = element('p', { class: 'error', hidden: true })
    this.choices = PLOTS.map(([name, text]) => element('label', { class: 'segment' },
      element('input', { type: 'radio', name: 'plan-plot', value: name, onchange: () => context.setState({ plot: name }) }), text))
    this.kinds = element('div', { class: 'plan-plotted' })
    this.node = element('div', { class: 'plan-plots' }, element('h2', {}, 'Plots'),
      element('div', { class: 'segments', role: 'radiogroup', 'aria-label': 'What to plot' }, ...this.choices), this.kinds, this.error, this.place)
  }

  get plotted() {
    const { state } = this.context
    const chosen = (state.with ?? '').split(',').filter((kind) => this.all.includes(kind))
    if (chosen.length > 0) return chosen.slice(0, MOST)
    const first = this.all.includes(this.plan.chosen) ? [this.plan.chosen] : []
    return [...new Set([...first, ...USUAL])].slice(0, MOST)
  }

  show(plan) {
    this.plan = plan
    /// Range filters are of no kind, and have other axes.
    this.all = plan.rows.map((row) => row.kind).filter((kind) => kind !== 'range').sort()
    this.follow()
  }

  follow() {
    if (!this.plan) return
    const what = PLOTS.some(([name]) => name === this.context.state.plot) ? this.context.state.plot : 'bits'
    for (const choice of this.choices) choice.firstChild.checked = choice.firstChild.value === what
    this.showKinds()
    const row = this.plan.rows.find((one) => one.kind === this.plan.chosen)
    const fields = { items: String(Math.round(this.plan.items?.number ?? 1e6)), fpr: String(this.plan.fpr?.number ?? 0.01) }
    const asked = JSON.stringify([what, this.plotted, fields])
    if (asked === this.asked) return
    this.asked = asked
    this.ask({ what, kinds: this.plotted, fields }, row)
  }

  /// The plotted kinds, each with a button that removes it, and a list to add one.
  showKinds() {
    const { plotted } = this
    const set = (kinds) => this.context.setState({ with: kinds.join(',') })
    const chips = plotted.map((kind) => element('button', { type: 'button', class: 'chip', 'data-keep': kind, 'aria-label': `Remove ${kind} from the plot`,
      onclick: () => set(plotted.filter((one) => one !== kind)), disabled: plotted.length === 1 }, kind, element('span', { 'aria-hidden': true }, ' ×')))
    const add = element('select', { 'aria-label': 'Add a kind to the plot', 'data-keep': 'add', disabled: plotted.length >= MOST,
      onchange: () => set([...plotted, add.value]) },
    element('option', { value: '' }, plotted.length >= MOST ? 'five at most' : 'add a kind'),
    ...this.all.filter((kind) => !plotted.includes(kind)).map((kind) => element('option', { value: kind }, kind)))
    const held = this.kinds.contains(document.activeElement) ? document.activeElement.dataset.keep : null
    this.kinds.replaceChildren(...chips, add)
    if (held) (this.kinds.querySelector(`[data-keep="${held}"]`) ?? add).focus()
  }

  async ask(question, row) {
    this.before?.abort()
    this.before = new AbortController()
    this.place.setAttribute('aria-busy', 'true')
    try {
      const plot = await this.context.api('plot', question, { signal: this.before.signal })
      this.error.hidden = true
      this.place.hidden = false
      chart(this.place, spec(plot, question, row))
    } catch (error) {
      if (isAborted(error)) return
      this.error.textContent = error.message
      this.error.hidden = false
      this.place.hidden = true
    }
    this.place.setAttribute('aria-busy', 'false')
  }
}

/// The chart of an answer: lines predicted, marks measured.
function spec(plot, question, row) {
  const axis = ({ label, scale, unit }) => ({ label, log: scale === 'log', unit })
  const series = plot.series.flatMap(({ name, predicted, measured }) => [
    { name: measured.length ? `${name}, predicted` : name, points: predicted },
    ...(measured.length ? [{ name: `${name}, measured`, points: measured, marks: true }] : []),
  ])
  const points = { bits: ({ bits_per_key: bits, fpr }) => [bits, fpr], keys: ({ items, bytes }) => [items, bytes] }
  const point = row?.solved && question.kinds.includes(row.kind) && points[question.what]?.(row.solved)
  const here = point ? { x: point[0], y: point[1], name: row.kind } : undefined
  return { title: plot.title, x: axis(plot.x), y: axis(plot.y), series, here, remarks: plot.remarks }
}
