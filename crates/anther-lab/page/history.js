// What happened to the filters of the tab Look, in the address and in requests.
//
// In the address, acts are `i` (insert), `q` (look up) or `r` (remove) and the key, separated by `*`:
// `look-acts=i2*i4*i9*q12`.

const LETTERS = { i: 'insert', q: 'query', r: 'remove' }
const WORDS = `ant bee cat dog elk fox gnu hen ibis jay koi lynx mole newt owl pug quail ram seal toad
urial vole wasp yak zebu asp bat cow doe eel fly goat hare ide jackal kid lark mink nit ox pig rat
sow tern upupa viper wolf xerus`.split(/\s+/)

/// The number that a text such as `5000`, `1,000`, `5k` or `1e3` stands for, as the program reads it;
/// `null` if it is none.
export function countOf(text) {
  const [, number, unit] = /^(\+?[\d_,.]+(?:e\+?\d+)?) *([kmgt]?)$/i.exec((text ?? '').trim()) ?? []
  const [whole] = number?.split(/[.e]/i) ?? []
  if (number === undefined || whole.includes(',') && !/^\+?\d{1,3}(,\d{3})+$/.test(whole)) return null
  const factor = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 }[unit.toLowerCase()]
  const count = Math.round(Number(number.replaceAll(/[_,]/g, '')) * factor)
  return Number.isSafeInteger(count) && count > 0 ? count : null
}

/// The history of a state, as `api/look` takes it.
export function fromState(state) {
  const get = (name, usual) => state[`look-${name}`] ?? usual
  const list = (name) => get(name, '').split(',').filter(Boolean).map(unescape)
  const acts = get('acts', '').split('*').filter((act) => LETTERS[act[0]])
    .map((act) => ({ [LETTERS[act[0]]]: unescape(act.slice(1)) }))
  const at = Number.parseInt(get('at', ''), 10)
  const hashes = list('hashes')
  return {
    kinds: list('kinds').length > 0 ? list('kinds') : ['classic'],
    items: get('items', '8'),
    fpr: get('fpr', '10%'),
    seed: Number.parseInt(get('seed', '0'), 10) || 0,
    options: Object.fromEntries(list('options').map((option) => option.split(':'))),
    acts,
    others: list('others'),
    // The program says what is wrong with a number; what is none is 0 to it.
    worked: hashes.length > 0 ? { bits: /^\d{1,9}$/.test(get('bits', '10')) ? Number(get('bits', '10')) : 0, hashes } : null,
    at: Number.isNaN(at) ? acts.length : Math.max(0, Math.min(acts.length, at)),
  }
}

/// The state of a history.
export function toState(history) {
  const letter = (act) => Object.keys(LETTERS).find((letter) => LETTERS[letter] in act)
  const list = (texts) => (texts ?? []).map(escape).join(',')
  const { worked } = history
  return {
    'look-kinds': list(history.kinds),
    'look-items': worked ? null : history.items,
    'look-fpr': worked ? null : history.fpr,
    'look-seed': history.seed || null,
    'look-options': list(Object.entries(history.options ?? {}).map((option) => option.join(':'))),
    'look-acts': history.acts.map((act) => letter(act) + escape(act[LETTERS[letter(act)]])).join('*'),
    'look-others': list(history.others),
    'look-bits': worked ? worked.bits : null,
    'look-hashes': worked ? list(worked.hashes) : null,
    'look-at': history.at,
  }
}

/// The same story for the library's own hash: numbers stay, as text.
export function withOwnHash(history) {
  return { ...history, worked: null, items: '8', fpr: '10%' }
}

/// The formulas of the texts. Their keys are numbers, so a story of words ends.
export function withFormulas(history) {
  const isNumber = (act) => /^\d+$/.test(Object.values(act)[0])
  const acts = history.acts.every(isNumber) ? history.acts : []
  const kinds = history.kinds.filter((kind) => ['classic', 'counting'].includes(kind))
  return {
    ...history, acts, at: Math.min(history.at, acts.length), kinds: kinds.length > 0 ? kinds : ['classic'],
    worked: { bits: 10, hashes: ['x', '2x+3', '3x+7'] },
  }
}

/// Keys that were not inserted yet: words, or numbers.
export function newKeys(acts, count, areNumbers) {
  const known = new Set(acts.map((act) => act.insert?.split('=')[0]))
  const candidate = (at) => areNumbers ? String((at * 7 + 3) % 1000) : WORDS[at] ?? `key${at}`
  const keys = []
  for (let at = 0; keys.length < count; at += 1) if (!known.has(candidate(at))) keys.push(candidate(at))
  return keys
}

// Commas and stars separate.
function escape(text) {
  return String(text).replaceAll('%', '%25').replaceAll(',', '%2C').replaceAll('*', '%2A')
}

function unescape(text) {
  return text.replaceAll('%2A', '*').replaceAll('%2C', ',').replaceAll('%25', '%')
}
