// The tab Plan: which kind, and how large?

export const id = 'plan'
export const title = 'Plan'

/// Puts the tab into its section.
export function mount(section, context) {
  const text = document.createElement('p')
  text.textContent = 'This tab comes next.'
  section.append(text)
}
