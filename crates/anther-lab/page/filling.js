// The part of the tab Look that fills filters beyond their capacity: what happens with twice the keys?

import { element } from './element.js'
import { chart } from './chart.js'
import { countOf } from './history.js'
import { isAborted } from './api.js'

/// As the server has it.
const MOST_ITEMS = 10_000

/// What is filled, unless the fields say otherwise: what the tab Plan has, if that is small enough here.
function usual({ items, fpr }) {
  const count = countOf(items)
  return { 'fill-items': count !== null && count <= MOST_ITEMS ? items : '1000', 'fill-fpr': fpr ?? '1%' }
}

/// Puts the part into its section. `kinds()` are those that the tab shows.
export function filling(section, { api, state, setState, onState, fail, say }, kinds) {
  const wantedOf = (name) => state[name] ?? usual(state)[name]
  const field = (name, label) => element('label', {}, element('span', { class: 'label' }, label),
    element('input', {
      type: 'text', id: name, value: wantedOf(name), size: 7, autocomplete: 'off', spellcheck: 'false',
      onchange: (event) => setState({ [name]: event.target.value.trim() }),
    }))
  const items = field('fill-items', 'Made for keys')
  const fpr = field('fill-fpr', 'at an FPR of')
  const picture = element('div', { class: 'chart-place' })
  const says = element('div', { class: 'says', 'aria-live': 'polite' })
  section.append(
    element('h3', { id: 'fill-title' }, 'What happens when I insert twice as many keys?'),
    element('p', { class: 'quiet' },
      'A filter of each kind above, filled to three times what it was made for. Marks are measured with 20,000 absent keys; lines are predicted.'),
    element('div', { class: 'row' }, items, fpr,
      element('button', { type: 'button', onclick: () => { shown = ''; run() } }, 'Fill again')),
    picture, says)

  let shown = ''
  let controller = new AbortController()

  async function run() {
    const wanted = {
      kinds: [...new Set(kinds())],
      items: wantedOf('fill-items'), fpr: wantedOf('fill-fpr'),
    }
    if (JSON.stringify(wanted) === shown) return
    shown = JSON.stringify(wanted)
    for (const name of ['fill-items', 'fill-fpr']) section.querySelector(`#${name}`).value = wantedOf(name)
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    const filled = new Map(wanted.kinds.map((kind) => [kind, { points: [], says: [], ended: false }]))
    section.dataset.done = 'false'
    try {
      for (let part = 0; [...filled.values()].some((kind) => !kind.ended); part += 1) {
        for (const [kind, all] of filled) {
          if (all.ended) continue
          const next = await api('fill', { kind, items: wanted.items, fpr: wanted.fpr, part }, { signal })
          all.points.push(...next.points)
          all.says.push(...next.says)
          Object.assign(all, { ended: next.ended, items: next.items, fpr: next.fpr })
        }
        draw(filled)
      }
      section.dataset.done = 'true'
      say([...filled].map(([kind, all]) => `${kind}: ${all.says.join(' ')}`).join(' '))
    } catch (error) {
      if (isAborted(error)) return
      says.replaceChildren(element('p', { class: 'error' }, error.message))
      // Hidden, not emptied: the chart keeps its elements for the next time.
      picture.hidden = filled.values().next().value.points.length === 0
      section.dataset.done = 'true'
    }
  }

  function draw(filled) {
    const series = []
    let target
    for (const [kind, all] of filled) {
      // Rates of a nearly empty filter would take most of a logarithmic axis.
      const points = (of) => all.points.filter((point) => point[of] >= all.fpr / 100).map((point) => [point.keys, point[of]])
      series.push({ name: `${kind}, predicted`, points: points('predicted') })
      series.push({ name: `${kind}, measured`, points: points('measured'), marks: true })
      target = all
    }
    if (target?.items) {
      series.push({ name: 'target', points: [[target.items / 8, target.fpr], [3 * target.items, target.fpr]] })
    }
    picture.hidden = false
    chart(picture, {
      title: 'False-positive rate by number of keys',
      x: { label: 'keys inserted', unit: 'count' }, y: { label: 'false-positive rate', log: true, unit: 'rate' },
      series,
    })
    says.replaceChildren(...[...filled].map(([kind, all]) => element('div', {},
      element('h4', {}, kind), element('ul', {}, all.says.map((text) => element('li', {}, text))))))
  }

  onState(() => { if (section.offsetParent !== null) run() })
  run()
}
