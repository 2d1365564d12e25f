// Commands and code to copy.

import { element } from './element.js'

/// A command line with a button that copies it. It wraps between words, not behind the hyphens of
/// options.
export function command(text, say) {
  const words = text.split(' ').flatMap((word) => [' ', element('span', {}, word)])
  return copyable(text, words.slice(1), say)
}

/// Lines of code with a button that copies them.
export function code(text, say) {
  return copyable(text, [text], say)
}

function copyable(text, shown, say) {
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
    say('Copied')
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  }
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy: ${text}`, onclick: copy }, 'Copy')
  return element('div', { class: 'copyable' }, element('pre', { tabindex: 0 }, ...shown), button)
}
