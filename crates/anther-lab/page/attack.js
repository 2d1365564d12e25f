// The tab Attack: keys that are chosen against a filter.

export const id = 'attack'
export const title = 'Attack'

/// Puts the tab into its section.
export function mount(section, context) {
  const text = document.createElement('p')
  text.textContent = 'This tab comes next.'
  section.append(text)
}
