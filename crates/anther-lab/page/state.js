// What the page shows, as an object of strings. It is the fragment of the address: `#tab=plan&items=10M`.

const listeners = new Set()

/// The state. Read it; change it with setState.
export const state = parse(location.hash)

/// Changes the state: strings and numbers are set, null and the empty string are removed. Listeners
/// run before this returns, if anything changed. With `isStep`, the browser's Back undoes it.
export function setState(patch, { isStep = false } = {}) {
  let changed = false
  for (const [name, value] of Object.entries(patch)) {
    const text = value === null || value === undefined ? '' : String(value)
    if ((state[name] ?? '') === text) continue
    changed = true
    if (text === '') delete state[name]
    else state[name] = text
  }
  if (!changed) return
  write(isStep)
  tell()
}

/// Calls `listener(state)` after every change, by whoever it was.
export function onState(listener) {
  listeners.add(listener)
}

/// The address of this state.
export function fragment(of = state) {
  const text = new URLSearchParams(of).toString()
  // Commas, slashes and colons are allowed in fragments, and easier to read.
  return '#' + text.replaceAll('%2C', ',').replaceAll('%2F', '/').replaceAll('%3A', ':')
}

function parse(hash) {
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')))
}

function tell() {
  for (const listener of listeners) listener(state)
}

// Browsers reject more than about a hundred changes of the address in half a minute, and a slider
// makes as many in two seconds.
const WRITE_AFTER = 250
let timer = 0

function write(isStep) {
  clearTimeout(timer)
  if (isStep) history.pushState(null, '', fragment())
  else timer = setTimeout(() => history.replaceState(null, '', fragment()), WRITE_AFTER)
}

// The user edited the address, or went back.
addEventListener('popstate', () => {
  clearTimeout(timer)
  const now = parse(location.hash)
  // The link that skips to the content is no state.
  if (location.hash === '#main') return
  for (const name of Object.keys(state)) if (!(name in now)) delete state[name]
  Object.assign(state, now)
  tell()
})
