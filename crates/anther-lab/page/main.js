// The shell: tabs, theme, messages. Each tab is a module of its own, with
//
//   export function mount(section, context)
//
// which is called once, when the tab is first shown. `context` has
//
//   api(name, body, { signal })   asks the program; throws an Error for the user
//   state, setState(patch)        what the page shows, as strings; it is in the address
//   onState(listener)             called after every change of the state
//   say(text)                     for screen readers: what has changed
//   fail(error)                   shows an error to the user
//   clear()                       hides it again
//
// The server forbids inline scripts and styles, and HTML made from text: use textContent and
// createElement, never innerHTML.

import { api, isAborted } from './api.js'
import { fragment, onState, setState, state } from './state.js'

// Each is loaded when it is first shown: an error in one does not stop the others.
const TABS = [
  { id: 'plan', title: 'Plan', load: () => import('./plan.js') },
  { id: 'look', title: 'Look', load: () => import('./look.js') },
  { id: 'attack', title: 'Attack', load: () => import('./attack.js') },
  { id: 'file', title: 'Your file', load: () => import('./file.js') },
]

const list = document.querySelector('[role=tablist]')
const main = document.querySelector('#main')
const context = { api, state, setState, onState, say, fail, clear }

for (const { id, title } of TABS) {
  const tab = document.createElement('button')
  Object.assign(tab, { id: `tab-${id}`, type: 'button', textContent: title })
  tab.dataset.title = title
  tab.setAttribute('role', 'tab')
  tab.setAttribute('aria-controls', id)
  tab.addEventListener('click', () => choose(id))
  list.append(tab)
  const section = document.createElement('section')
  Object.assign(section, { id, className: `tab-${id}`, hidden: true })
  section.setAttribute('role', 'tabpanel')
  section.setAttribute('aria-labelledby', tab.id)
  main.append(section)
}

function choose(id) {
  setState({ tab: id }, { isStep: true })
}

/// Shows the tab of the state, and mounts it the first time.
const mounted = new Set()
function show() {
  const shown = TABS.find((tab) => tab.id === state.tab) ?? TABS[0]
  document.title = `${shown.title} – anther lab`
  for (const { id } of TABS) {
    const tab = document.querySelector(`#tab-${id}`)
    const isShown = id === shown.id
    tab.setAttribute('aria-selected', isShown)
    tab.tabIndex = isShown ? 0 : -1
    document.getElementById(id).hidden = !isShown
  }
  mount(shown)
}

function mount({ id, load }) {
  if (mounted.has(id)) return
  mounted.add(id)
  load().then((tab) => tab.mount(document.getElementById(id), context)).catch(fail)
}

// A file may be dropped on every tab. Before Your file listens, the browser would leave the page for it.
addEventListener('dragenter', () => mount(TABS.find((tab) => tab.id === 'file')), { once: true })

// One tab stop for all tabs; the arrows move within, as in every tab list.
list.addEventListener('keydown', (event) => {
  const tabs = [...list.children]
  const at = tabs.indexOf(document.activeElement)
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
  if (to === undefined || at < 0) return
  event.preventDefault()
  const tab = tabs[(to + tabs.length) % tabs.length]
  tab.focus()
  tab.click()
})

// The theme is in the state, too; without one, it is the system's.
const THEMES = { '': 'Theme: auto', light: 'Theme: light', dark: 'Theme: dark' }
const theme = document.querySelector('#theme')
function paint() {
  const name = THEMES[state.theme] ? state.theme : ''
  theme.textContent = THEMES[name]
  document.documentElement.dataset.theme = name
}
theme.addEventListener('click', () => {
  const names = Object.keys(THEMES)
  const at = names.indexOf(document.documentElement.dataset.theme)
  setState({ theme: names[(at + 1) % names.length] })
  say(theme.textContent)
})

// The skip link must not replace the state in the address.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault()
  main.focus()
})

/// Tells screen readers what has changed.
function say(text) {
  const said = document.querySelector('#said')
  // The same text again would not be read.
  said.textContent = said.textContent === text ? `${text}\u00a0` : text
}

const alert = document.querySelector('#alert')

/// Shows an error until it is closed. A superseded request is none.
function fail(error) {
  if (isAborted(error)) return
  alert.querySelector('p').textContent = error.message
  alert.hidden = false
}
function clear() {
  alert.hidden = true
}
alert.querySelector('button').addEventListener('click', clear)
addEventListener('error', (event) => fail(event.error ?? new Error(event.message)))
addEventListener('unhandledrejection', (event) => fail(event.reason))

onState(() => { paint(); show() })
paint()
show()
if (location.hash === '') history.replaceState(null, '', fragment({ tab: TABS[0].id }))
