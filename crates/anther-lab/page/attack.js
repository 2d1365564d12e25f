// The tab Attack: keys chosen against a known seed, and against a secret key.

import { element } from './element.js'
import { chart } from './chart.js'
import { isAborted } from './api.js'

export const id = 'attack'
export const title = 'Attack'

const ATTACKS = [
  ['pollute', 'Fill it faster', 'The attacker inserts keys that each set only new bits. The filter fills up faster than with honest keys.'],
  ['forge', 'Forge lookups', 'The attacker knows the bits, and looks up keys that all match, though none was inserted.'],
  ['crowd', 'Crowd a bucket', 'A cuckoo filter. The attacker inserts keys that share their two buckets, until these are full.'],
]

const CODE = [
  ['Program', 'anther build keys.anther list.txt --keyed --key-file secret.key'],
  ['Rust', 'Classic::with_seed(target, Seed::keyed(secret))'],
  ['Python', 'anther.Filter(1000, key=secrets.token_bytes(16))'],
]

/// Puts the tab into its section.
export function mount(section, { api, state, setState, onState, say, fail }) {
  const field = (name, label, usual) => element('label', {}, element('span', { class: 'label' }, label),
    element('input', {
      type: 'text', id: name, value: state[name] ?? usual, size: 7, autocomplete: 'off', spellcheck: 'false',
      onchange: (event) => setState({ [name]: event.target.value.trim() }),
    }))
  const choices = ATTACKS.map(([name, label]) => element('label', { class: 'check' },
    element('input', { type: 'radio', name: 'attack', value: name, onchange: () => setState({ attack: name }) }), label))
  const keyed = element('input', {
    type: 'checkbox', role: 'switch', id: 'attack-key',
    onchange: (event) => setState({ 'attack-key': event.target.checked ? 'on' : null }),
  })
  const about = element('p', { class: 'quiet' })
  const says = element('p', { class: 'why' })
  const effort = element('p', { class: 'quiet' })
  const picture = element('div', { class: 'chart-place' })
  const keys = element('div', { class: 'wide' })
  const outcome = element('div', { class: 'card outcome' }, says, picture, effort, keys)
  section.append(
    element('h2', { class: 'unseen' }, 'Attack'),
    element('p', { class: 'lead' },
      'The default seed is public. Anyone who knows it can compute the cells of every key, and choose keys against the filter. Watch the false-positive rate, then switch the secret key on.'),
    element('div', { class: 'card controls stack' },
      element('fieldset', { class: 'row' }, element('legend', { class: 'label' }, 'The attack'), ...choices),
      about,
      element('div', { class: 'row' }, field('attack-items', 'Made for keys', '1000'), field('attack-fpr', 'at an FPR of', '1%'),
        element('label', { class: 'check switch' }, keyed, element('span', {}, 'Secret key'), element('small', { class: 'state' })))),
    outcome,
    element('div', { class: 'card stack' },
      element('h3', {}, 'Switch the key on in your program'),
      element('p', { class: 'quiet' }, 'Use a secret key if keys come from people whom you do not trust. It costs about 15\u00a0ns per key of 16\u00a0bytes.'),
      element('dl', { class: 'facts' }, CODE.flatMap(([where, text]) =>
        [element('dt', {}, where), element('dd', {}, element('code', {}, text))]))))

  let shown = ''
  let controller = new AbortController()

  async function run() {
    const attack = ATTACKS.find(([name]) => name === state.attack) ?? ATTACKS[0]
    const wanted = {
      attack: attack[0], items: state['attack-items'] ?? '1000', fpr: state['attack-fpr'] ?? '1%',
      keyed: state['attack-key'] === 'on',
    }
    if (JSON.stringify(wanted) === shown) return
    shown = JSON.stringify(wanted)
    for (const choice of choices) choice.firstChild.checked = choice.firstChild.value === wanted.attack
    keyed.checked = wanted.keyed
    section.querySelector('.state').textContent = wanted.keyed ? 'on: drawn at random, unknown to the attacker' : 'off: the seed is public'
    about.textContent = attack[2]
    outcome.classList.toggle('keyed', wanted.keyed)
    controller.abort()
    controller = new AbortController()
    outcome.setAttribute('aria-busy', 'true')
    try {
      const answer = await api('attack', wanted, { signal: controller.signal })
      says.textContent = answer.says
      effort.textContent = answer.effort
      chart(picture, {
        title: answer.title, x: { label: answer.x, unit: 'count' }, y: { label: answer.y, unit: answer.unit },
        series: answer.series.map(({ name, predicted, points }) => ({
          name, points, marks: !predicted,
        })),
      })
      keys.replaceChildren(...answer.keys.length === 0 ? [] : [element('table', { class: 'chosen' },
        element('caption', {}, 'Some of the chosen keys'),
        element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Key'), element('th', { scope: 'col' }, 'The filter'))),
        element('tbody', {}, answer.keys.map(([key, what]) => element('tr', {},
          element('td', { class: 'mono' }, key), element('td', {}, what)))))])
      outcome.setAttribute('aria-busy', 'false')
      say(answer.says)
    } catch (error) {
      outcome.setAttribute('aria-busy', 'false')
      if (!isAborted(error)) fail(error)
    }
  }

  onState(() => { if (!section.hidden) run() })
  run()
}
