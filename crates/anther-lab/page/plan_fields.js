// The numbers of the tab Plan: a field and a slider for each. Fields take what people write, and the
// program reads it; sliders are logarithmic and stop at round numbers.

import { element } from './element.js'

/// Each number: what the slider's position is, in both directions. Positions to numbers and back.
const NUMBERS = {
  items: {
    label: 'Keys', hint: 'how many, such as 10M', min: 0, max: 12, step: 0.05,
    position: Math.log10,
    text: (at) => withUnit(Math.max(1, round(10 ** at, 2)), [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, '']], ''),
  },
  fpr: {
    label: 'False-positive rate (FPR)', hint: 'maybe for an absent key, such as 0.1 %', min: -9, max: -0.3, step: 0.05,
    position: Math.log10,
    text: (at) => { const rate = round(10 ** at, 2); return rate < 1e-5 ? String(rate) : `${round(100 * rate, 2)} %` },
  },
  memory: {
    label: 'Memory', hint: 'such as 16 MiB or 1 GB', min: 6, max: 44, step: 0.25,
    // Quarters between powers of two: 4, 5, 6, 7, 8 MiB.
    position: (bytes) => { const power = Math.floor(Math.log2(bytes)); return power + bytes / 2 ** power - 1 },
    text: (at) => {
      const power = Math.floor(at + 1e-9)
      return withUnit(2 ** power * (1 + at - power), [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']], ' ')
    },
  },
}

/// How errors of the program begin, by field.
const NAMES = { items: 'keys:', fpr: 'fpr:', memory: 'memory:', probes: 'hash functions:', span: 'longest range:' }

/// The place for an error of an input, below it. `show(error)` returns whether it is about this input.
function errorOf(name, input) {
  const node = element('p', { class: 'error plan-error', id: `plan-${name}-error`, role: 'alert', hidden: true })
  input.setAttribute('aria-describedby', [input.getAttribute('aria-describedby'), node.id].filter(Boolean).join(' '))
  return {
    node,
    show(error, isMissing = false) {
      const isWrong = error !== null && (isMissing || error.message.toLowerCase().startsWith(NAMES[name]))
      input.setAttribute('aria-invalid', isWrong)
      node.hidden = !isWrong
      // The same text again would be read again.
      const text = isWrong ? error.message : ''
      if (node.textContent !== text) node.textContent = text
      return isWrong
    },
  }
}

/// The fields of keys, rate and memory. `onchange(name, text)`; `onsolve(name)` if it is to be computed.
export function numberFields(onchange, onsolve) {
  const fields = Object.entries(NUMBERS).map(([name, number]) => new NumberField(name, number, onchange, onsolve))
  return {
    all: fields.map((field) => field.node),
    /// The texts of the state, and of the computed one the answer's.
    show(state, plan) {
      for (const field of fields) field.show(state[field.name], plan?.[field.name], state.solve === field.name)
    },
    /// Marks the field that an error is about: of missing numbers, the empty ones. Returns whether it is about one.
    refuse(error, state) {
      const isEmpty = (field) => /^numbers:/i.test(error?.message) && state.solve !== field.name && !state[field.name]?.trim()
      return fields.map((field) => field.error.show(error, isEmpty(field))).includes(true)
    },
  }
}

class NumberField {
  constructor(name, number, onchange, onsolve) {
    this.name = name
    this.number = number
    const inputId = `plan-${name}`
    this.input = element('input', { id: inputId, name, inputmode: 'text', autocomplete: 'off', spellcheck: 'false',
      'aria-describedby': `${inputId}-note`, placeholder: number.hint,
      oninput: () => onchange(name, this.input.value) })
    this.slider = element('input', { type: 'range', min: number.min, max: number.max, step: number.step, 'aria-label': `${number.label}, slider`,
      oninput: () => { this.input.value = number.text(Number(this.slider.value)); onchange(name, this.input.value) } })
    this.radio = element('input', { type: 'radio', name: 'plan-solve', value: name, 'aria-label': `Compute: ${number.label}`, onchange: () => onsolve(name) })
    this.note = element('span', { class: 'quiet', id: `${inputId}-note` })
    this.error = errorOf(name, this.input)
    this.node = element('div', { class: 'plan-number' },
      element('div', { class: 'plan-label' }, element('label', { for: inputId }, number.label),
        element('label', { class: 'plan-solve' }, this.radio, element('span', {}, 'compute'))),
      element('div', { class: 'plan-pair' }, this.input, this.note), this.error.node, this.slider)
  }

  show(text, shown, isComputed) {
    this.node.classList.toggle('computed', isComputed)
    this.radio.checked = isComputed
    // If no kind does, there is nothing to show, and nothing to write.
    this.input.placeholder = isComputed ? '' : this.number.hint
    const isTyping = document.activeElement === this.input
    const value = isComputed ? shown?.text ?? '' : text ?? ''
    if (!isTyping && this.input.value !== value) this.input.value = value
    this.note.textContent = shown?.note ?? ''
    this.slider.setAttribute('aria-valuetext', isComputed ? `${value}, computed` : value)
    // The slider that is being moved is where the user put it.
    if (shown && document.activeElement !== this.slider) this.slider.value = this.number.position(shown.number)
  }
}

/// Hash functions: 0 lets each kind choose.
export function probesField(onchange) {
  const most = 20
  const input = element('input', { id: 'plan-probes', inputmode: 'numeric', autocomplete: 'off', placeholder: 'best', oninput: () => onchange(input.value.trim()) })
  const slider = element('input', { type: 'range', min: 0, max: most, step: 1, 'aria-label': 'Hash functions, slider',
    oninput: () => onchange(slider.value === '0' ? null : slider.value) })
  const error = errorOf('probes', input)
  return {
    refuse: (refusal) => error.show(refusal),
    isWrong: () => !error.node.hidden,
    node: element('div', { class: 'plan-number' },
      element('div', { class: 'plan-pair' }, input, element('label', { class: 'quiet', for: 'plan-probes' }, 'per key; empty: the best number')), error.node, slider,
      element('p', { class: 'quiet' }, 'For classic, blocked, split and compressed. The other kinds choose themselves.')),
    show(state) {
      if (document.activeElement !== input) input.value = state.probes ?? ''
      slider.value = state.probes ?? 0
      slider.setAttribute('aria-valuetext', state.probes ?? 'the best number')
    },
  }
}

/// The longest range, for range filters.
export function spanField(onchange) {
  const input = element('input', { id: 'plan-span', inputmode: 'text', autocomplete: 'off', placeholder: '1024', oninput: () => onchange(input.value.trim()) })
  const error = errorOf('span', input)
  const node = element('div', { class: 'plan-span', hidden: true }, element('label', { for: 'plan-span' }, 'Longest range'), input, error.node)
  return {
    node,
    refuse: (refusal) => error.show(refusal),
    show(state, isNeeded) {
      node.hidden = !isNeeded
      if (document.activeElement !== input) input.value = state.span ?? ''
    },
  }
}

function round(value, digits) {
  return Number(value.toPrecision(digits))
}

function withUnit(value, units, space) {
  const [factor, unit] = units.find(([least]) => value >= least) ?? units[units.length - 1]
  return `${round(value / factor, 4)}${space}${unit}`
}
