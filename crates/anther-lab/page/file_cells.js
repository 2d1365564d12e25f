// The cells of a dropped filter, and the lookup of a key in it. Large filters are drawn in parts.

import { picture } from './cells.js'
import { command } from './copyable.js'
import { element, field } from './element.js'

/// How many cells a part has; the server's number, too.
const PART = 512

/// Fills a card with the cells of a filter. `subject.ask` asks the program about it.
export async function showCells(card, subject, file, { fail, say }) {
  let from = 0
  const about = element('p', { class: 'quiet' })
  const key = element('input', { id: 'file-key', class: 'mono', autocomplete: 'off', spellcheck: 'false' })
  const found = element('p', {})
  const place = element('div', { class: 'picture' })
  const where = element('span', { class: 'quiet' })
  const before = element('button', { type: 'button', onclick: () => turn(-PART) }, 'Previous cells')
  const after = element('button', { type: 'button', onclick: () => turn(PART) }, 'Next cells')
  const lookUp = (event) => {
    event.preventDefault()
    draw().catch(fail)
  }
  const parts = [about,
    element('form', { class: 'row', onsubmit: lookUp }, field('Look up a key', key),
      element('button', { class: 'primary', type: 'submit' }, 'Look up')),
    found, place, element('div', { class: 'row' }, before, after, where),
    command(`anther draw ${file} --cells 0..${PART}`, say)]

  async function draw() {
    const { scene } = await subject.ask('draw', { keys: key.value === '' ? [] : [key.value], from })
    if (!about.isConnected) card.append(...parts)
    const [step] = scene.steps
    about.textContent = scene.about
    found.replaceChildren(...answer(step))
    if (step.answer) say(`${step.key}: ${step.answer}. ${step.note}`)
    const [row] = step.rows
    const last = row.first + row.cells.length - 1
    where.textContent = `Cells ${row.first.toLocaleString('en')} to ${last.toLocaleString('en')}`
    before.disabled = from === 0
    after.disabled = row.cells.length < PART
    place.replaceChildren(...picture({ step }, { width: place.clientWidth, isWhole: !step.key }))
  }

  async function turn(by) {
    from += by
    try {
      await draw()
    } catch (error) {
      // The part before was the last.
      from -= by
      after.disabled = true
    }
  }

  try {
    await draw()
  } catch (error) {
    if (error.name === 'AbortError') throw error
    card.append(element('p', { class: 'quiet' }, error.message))
  }
}

/// What a lookup came to.
function answer({ key, answer, note }) {
  if (!answer) return []
  const mark = element('span', { 'aria-hidden': 'true' }, answer === 'maybe' ? '✓ ' : '✕ ')
  return [element('code', {}, key), ' ', element('strong', { class: `verdict ${answer}` }, mark, answer), ` – ${note}`]
}
