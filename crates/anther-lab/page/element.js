// Elements from JavaScript, without HTML made from text.

/// An HTML element. Properties beginning with "on" are listeners; the others are attributes, and those
/// that are null, undefined or false are left out. Children are elements and texts; null is none.
export function element(tag, properties = {}, ...children) {
  return build(document.createElement(tag), properties, children)
}

/// An SVG element.
export function svg(tag, properties = {}, ...children) {
  return build(document.createElementNS('http://www.w3.org/2000/svg', tag), properties, children)
}

/// A control under its label.
export function field(name, control) {
  return element('div', {}, element('label', { class: 'label', for: control.id }, name), control)
}

function build(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value)
    else if (name === 'value') node.value = value
    else node.setAttribute(name, value === true ? '' : value)
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined))
  return node
}
