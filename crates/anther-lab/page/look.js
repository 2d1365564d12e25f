// The tab Look: the cells of a small filter, step by step.

export const id = 'look'
export const title = 'Look'

/// Puts the tab into its section.
export function mount(section, context) {
  const text = document.createElement('p')
  text.textContent = 'This tab comes next.'
  section.append(text)
}
