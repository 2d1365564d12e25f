// The tab Your file: a filter file or a list of the user.

export const id = 'file'
export const title = 'Your file'

/// Puts the tab into its section.
export function mount(section, context) {
  const text = document.createElement('p')
  text.textContent = 'This tab comes next.'
  section.append(text)
}
