// A chart: lines and marks on linear or logarithmic axes, with a legend that switches lines off, the
// values under the pointer, and a table for those who do not see it.
//
//   chart(place, {
//     title,
//     x: { label, log, unit }, y: { label, log, unit },    unit: 'count', 'rate', 'bytes' or 'plain'
//     series: [{ name, points: [[x, y], …], marks, dash }],
//     here: { x, y, name },                                 a point to show, such as the chosen one
//     remarks: ['…'],
//   })
//
// Called again for the same place, it draws anew and keeps what the reader switched off. Series whose
// names agree up to a comma have one colour: "cuckoo, predicted" and "cuckoo, measured".

import { element, svg } from './element.js'

const charts = new WeakMap()

export function chart(place, spec) {
  if (!charts.has(place)) charts.set(place, new Chart(place))
  charts.get(place).show(spec)
}

const COLOURS = 7
const DASHES = ['', '8 4', '2 4', '10 4 2 4', '5 3', '14 4', '1 3']
const SHAPES = [
  'M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0', 'M-3-3h6v6h-6z', 'M0-4l3.8 6.6h-7.6z', 'M0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z',
  'M-4 0h8M0-4v8', 'M-3-3l6 6M-3 3l6-6', 'M0 4l3.8-6.6h-7.6z',
  // Of what others are compared with.
  'M-4.5-1.8h9v3.6h-9z',
]
const MARGIN = { left: 58, right: 14, top: 10, bottom: 44 }
/// Steps of the arrow keys across the chart.
const STEPS = 48
/// Rows of the table.
const ROWS = 11

class Chart {
  constructor(place) {
    this.off = new Set()
    /// Where the cross hair is, as a share of the width; null if nowhere.
    this.at = null
    this.caption = element('figcaption')
    this.plot = element('div', { class: 'chart-plot', tabindex: 0, role: 'group', 'aria-roledescription': 'chart' })
    this.tip = element('div', { class: 'chart-tip', hidden: true })
    this.said = element('p', { class: 'unseen', role: 'status' })
    this.legend = element('div', { class: 'chart-legend', role: 'group', 'aria-label': 'Lines of the chart' })
    this.remarks = element('ul', { class: 'chart-remarks quiet' })
    this.table = element('div', { class: 'wide' })
    const details = element('details', { class: 'chart-table' }, element('summary', {}, 'As a table'), this.table)
    place.replaceChildren(element('figure', { class: 'chart' }, this.caption,
      element('div', { class: 'chart-frame' }, this.plot, this.tip), this.said, this.legend, this.remarks, details))
    this.listen()
    // Drawing within the observer would change what it observes.
    const fit = () => { if (this.spec && this.plot.clientWidth !== this.width) this.draw() }
    new ResizeObserver(() => requestAnimationFrame(fit)).observe(this.plot)
  }

  show(spec) {
    const groups = new Map()
    const series = spec.series.map((one) => {
      const group = one.name.split(', ')[0]
      const isBound = /^(the fewest|target|random)/.test(group)
      if (!groups.has(group) && !isBound) groups.set(group, groups.size)
      const index = isBound ? COLOURS : groups.get(group) % COLOURS
      const dash = one.dash ?? (isBound ? '3 3' : DASHES[index])
      return { ...one, index, dash, points: one.points.filter((point) => point.every(Number.isFinite)) }
    })
    this.spec = { ...spec, series, x: withUnit(spec.x), y: withUnit(spec.y) }
    this.caption.textContent = spec.title
    this.plot.setAttribute('aria-label', `${spec.title}. Arrow keys read its values; a table follows.`)
    this.remarks.replaceChildren(...(spec.remarks ?? []).map((text) => element('li', {}, text)))
    this.drawLegend()
    this.draw()
    this.drawTable()
  }

  get shown() {
    return this.spec.series.filter((one) => !this.off.has(one.name) && one.points.length > 0)
  }

  drawLegend() {
    const keys = this.spec.series.map((one) => {
      const sample = svg('svg', { width: 26, height: 12, viewBox: '-13 -6 26 12', 'aria-hidden': true },
        one.marks ? mark(0, 0, one) : svg('path', { d: 'M-13 0H13', class: `line s${one.index + 1}`, 'stroke-dasharray': one.dash }))
      const toggle = () => {
        if (!this.off.delete(one.name)) this.off.add(one.name)
        key.setAttribute('aria-pressed', !this.off.has(one.name))
        this.draw()
      }
      const key = element('button', { type: 'button', 'aria-pressed': String(!this.off.has(one.name)), onclick: toggle }, sample, one.name)
      return key
    })
    // A redraw must not take the focus away.
    const at = [...this.legend.children].indexOf(document.activeElement)
    this.legend.replaceChildren(...keys)
    if (at >= 0) keys[at]?.focus()
  }

  draw() {
    const { x, y, here } = this.spec
    this.width = Math.max(this.plot.clientWidth, 240)
    this.height = Math.round(Math.min(380, Math.max(230, this.width * 0.5)))
    const inner = { left: MARGIN.left, right: this.width - MARGIN.right, top: MARGIN.top, bottom: this.height - MARGIN.bottom }
    this.inner = inner
    const points = this.shown.flatMap((one) => one.points).concat(here ? [[here.x, here.y]] : [])
    this.xs = scale(points.map((point) => point[0]), x, inner.left, inner.right)
    this.ys = scale(points.map((point) => point[1]), y, inner.bottom, inner.top)
    const picture = svg('svg', { width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}`, 'aria-hidden': true })
    const grid = svg('g', { class: 'grid' })
    const [xText, yText] = [labels(this.xs.ticks, x), labels(this.ys.ticks, y)]
    for (const tick of this.ys.ticks) {
      const at = this.ys.to(tick)
      grid.append(svg('path', { d: `M${inner.left} ${at}H${inner.right}` }),
        svg('text', { x: inner.left - 8, y: at, 'text-anchor': 'end', 'dominant-baseline': 'middle' }, yText(tick)))
    }
    const few = Math.max(2, Math.floor((inner.right - inner.left) / 64))
    const every = Math.ceil(this.xs.ticks.length / few)
    this.xs.ticks.forEach((tick, index) => {
      if (index % every !== 0) return
      const at = this.xs.to(tick)
      grid.append(svg('path', { d: `M${at} ${inner.bottom}v5` }),
        svg('text', { x: at, y: inner.bottom + 18, 'text-anchor': 'middle' }, xText(tick)))
    })
    grid.append(svg('path', { class: 'axis', d: `M${inner.left} ${inner.bottom}H${inner.right}` }),
      svg('text', { class: 'label', x: inner.right, y: this.height - 6, 'text-anchor': 'end' }, x.label))
    picture.append(grid)
    for (const one of this.shown) {
      const to = ([px, py]) => [this.xs.to(px), this.ys.to(py)].map((n) => Math.round(n * 10) / 10)
      if (one.marks) {
        for (const point of one.points) picture.append(mark(...to(point), one))
      } else {
        const d = one.points.map((point, index) => `${index ? 'L' : 'M'}${to(point).join(' ')}`).join('')
        picture.append(svg('path', { d, class: `line s${one.index + 1}`, 'stroke-dasharray': one.dash }))
      }
    }
    if (here && Number.isFinite(here.x) && Number.isFinite(here.y)) {
      const [hx, hy] = [this.xs.to(here.x), this.ys.to(here.y)]
      const isRight = hx > (inner.left + inner.right) / 2
      picture.append(svg('circle', { class: 'here', cx: hx, cy: hy, r: 5.5 }),
        svg('text', { class: 'here-name', x: hx + (isRight ? -11 : 11), y: hy - 9, 'text-anchor': isRight ? 'end' : 'start' }, here.name))
    }
    this.cross = svg('g', { class: 'cross' })
    picture.append(this.cross)
    this.plot.replaceChildren(picture)
    if (this.at !== null) this.point(this.at)
  }

  /// The values at a share of the width.
  values(share) {
    const { x, y } = this.spec
    const there = this.xs.from(this.inner.left + share * (this.inner.right - this.inner.left))
    // Nobody inserts half a key.
    const at = x.unit === 'count' && there < 1e6 ? Math.round(there) : there
    const values = this.shown.map((one) => ({ one, value: valueAt(one, at, x.log, y.log) }))
    return { at, values: values.filter(({ value }) => value !== null).sort((a, b) => b.value - a.value) }
  }

  /// Shows the values there, beside a line.
  point(share) {
    this.at = Math.min(1, Math.max(0, share))
    const { x, y } = this.spec
    const { at, values } = this.values(this.at)
    const line = this.xs.to(at)
    this.cross.replaceChildren(svg('path', { d: `M${line} ${this.inner.top}V${this.inner.bottom}` }),
      ...values.map(({ one, value }) => svg('circle', { cx: line, cy: this.ys.to(value), r: 3.5, class: `dot s${one.index + 1}` })))
    const title = `${format(at, x.unit)} ${x.unit === 'plain' || x.unit === 'count' ? x.label : ''}`.trim()
    this.tip.replaceChildren(element('strong', {}, x.unit === 'rate' ? `${x.label}: ${title}` : title),
      element('dl', {}, ...values.flatMap(({ one, value }) => [
        element('dt', { class: `s${one.index + 1}` }, one.name), element('dd', {}, format(value, y.unit))])))
    this.tip.hidden = values.length === 0
    // On the side that has more room, and never beyond the chart: on a phone it is half as wide.
    const beside = line > this.width / 2 ? line - 12 - this.tip.offsetWidth : line + 12
    this.tip.style.left = `${Math.max(0, Math.min(beside, this.width - this.tip.offsetWidth))}px`
    return `${title}: ${values.map(({ one, value }) => `${one.name} ${format(value, y.unit)}`).join(', ')}`
  }

  leave() {
    this.at = null
    this.tip.hidden = true
    this.cross?.replaceChildren()
  }

  listen() {
    const toShare = (event) => {
      const box = this.plot.getBoundingClientRect()
      return (event.clientX - box.left - this.inner.left) / (this.inner.right - this.inner.left)
    }
    for (const name of ['pointermove', 'pointerdown']) {
      this.plot.addEventListener(name, (event) => { if (this.spec) this.point(toShare(event)) })
    }
    // A finger that is lifted leaves the values to read.
    this.plot.addEventListener('pointerleave', (event) => { if (event.pointerType === 'mouse') this.leave() })
    this.plot.addEventListener('blur', () => this.leave())
    this.plot.addEventListener('keydown', (event) => {
      const step = (event.shiftKey ? 6 : 1) / STEPS
      const at = this.at ?? 0.5
      const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: 1 }[event.key]
      if (event.key === 'Escape') this.leave()
      if (to === undefined) return
      event.preventDefault()
      this.said.textContent = this.point(to)
    })
  }

  drawTable() {
    const { x, y, title, series } = this.spec
    const rows = []
    // Where something was measured, or else at even distances.
    const even = (row) => this.xs.from(this.inner.left + row / (ROWS - 1) * (this.inner.right - this.inner.left))
    const measured = series.find((one) => one.marks && one.points.length > 1)
    const places = measured ? measured.points.map((point) => point[0]) : Array.from({ length: ROWS }, (_, row) => even(row))
    for (const at of places) {
      rows.push(element('tr', {}, element('th', { scope: 'row', class: 'number' }, format(at, x.unit)),
        ...series.map((one) => {
          const value = valueAt(one, at, x.log, y.log)
          return element('td', { class: 'number' }, value === null ? '–' : format(value, y.unit))
        })))
    }
    this.table.replaceChildren(element('table', {}, element('caption', {}, `${title}: ${y.label} by ${x.label}`),
      element('thead', {}, element('tr', {}, element('th', { scope: 'col', class: 'number' }, x.label),
        ...series.map((one) => element('th', { scope: 'col', class: 'number' }, one.name)))),
      element('tbody', {}, ...rows)))
  }
}

function mark(x, y, one) {
  return svg('path', { d: SHAPES[one.index % SHAPES.length], class: `mark s${one.index + 1}`, transform: `translate(${x} ${y})` })
}

/// An axis whose unit is known.
function withUnit(axis) {
  const guess = /rate|share|probability/.test(axis.label) ? 'rate' : /keys|lookups/.test(axis.label) && !/per/.test(axis.label) ? 'count' : 'plain'
  return { ...axis, unit: axis.unit ?? guess }
}

/// From numbers to pixels and back, with ticks.
function scale(values, axis, first, last) {
  const usable = values.filter((value) => !axis.log || value > 0)
  let [low, high] = [Math.min(...usable), Math.max(...usable)]
  if (usable.length === 0) [low, high] = [axis.log ? 1 : 0, 10]
  if (axis.log) {
    low = Math.floor(Math.log10(low) + 1e-9)
    high = Math.ceil(Math.log10(high) - 1e-9)
    if (low === high) high += 1
    const step = Math.ceil((high - low) / 7)
    const ticks = []
    for (let power = low; power <= high; power += step) ticks.push(10 ** power)
    if (high - low <= 2) {
      for (const tick of [...ticks]) ticks.push(...[2, 5].map((by) => by * tick).filter((more) => more < 10 ** high))
      ticks.sort((a, b) => a - b)
    }
    return {
      ticks,
      to: (value) => first + (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low) * (last - first),
      from: (pixel) => 10 ** (low + (pixel - first) / (last - first) * (high - low)),
    }
  }
  if (low > 0 && low < 0.5 * high) low = 0
  if (low === high) high = low + 1
  const raw = (high - low) / 6
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 2.5, 5, 10].find((by) => by * power >= raw) * power
  low = Math.floor(low / step) * step
  // A rate is at most 1.
  high = axis.unit === 'rate' && high <= 1 ? Math.min(1, Math.ceil(high / step - 1e-9) * step) : Math.ceil(high / step - 1e-9) * step
  const ticks = []
  for (let index = 0; low + index * step <= high + step / 1e6; index += 1) ticks.push(Number((low + index * step).toPrecision(12)))
  return {
    ticks,
    to: (value) => first + (value - low) / (high - low) * (last - first),
    from: (pixel) => low + (pixel - first) / (last - first) * (high - low),
  }
}

/// The value of a line between its points, or of a mark that is near; null where there is none.
function valueAt(one, at, isLogX, isLogY) {
  const points = [...one.points].sort((a, b) => a[0] - b[0])
  if (points.length === 0) return null
  const along = isLogX ? Math.log10 : (value) => value
  const [first, last] = [points[0][0], points[points.length - 1][0]]
  const slack = Math.abs(along(last) - along(first)) * 0.02
  if (along(at) < along(first) - slack || along(at) > along(last) + slack) return null
  if (one.marks) {
    const far = (point) => Math.abs(along(point[0]) - along(at))
    const nearest = points.reduce((best, point) => (far(point) < far(best) ? point : best))
    return far(nearest) <= slack ? nearest[1] : null
  }
  const next = points.findIndex((point) => point[0] >= at)
  if (next < 0) return points[points.length - 1][1]
  if (next === 0) return points[0][1]
  const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]]
  const share = x1 === x0 ? 1 : (along(at) - along(x0)) / (along(x1) - along(x0))
  if (isLogY && y0 > 0 && y1 > 0) return 10 ** (Math.log10(y0) + share * (Math.log10(y1) - Math.log10(y0)))
  return y0 + share * (y1 - y0)
}

/// How the ticks of an axis are written: all as powers if one of its rates is too low for a percentage.
function labels(ticks, { unit, log }) {
  const isLow = unit === 'rate' && log && ticks.some((tick) => tick < LOW)
  return (tick) => (isLow ? exponent(tick).replace(/e0$/, '') : format(tick, unit))
}

/// Percentages below this begin with zeros only.
const LOW = 0.999e-5
const COUNTS = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]
const BYTES = [[1e12, ' TB'], [1e9, ' GB'], [1e6, ' MB'], [1e3, ' kB'], [1, ' B']]

/// A number at an axis or in a table.
export function format(value, unit) {
  if (unit === 'rate') {
    if (value === 0) return '0'
    return value < LOW ? exponent(value) : `${digits(100 * value)} %`
  }
  const units = unit === 'count' ? COUNTS : unit === 'bytes' ? BYTES : []
  const found = units.find(([factor]) => value >= factor * 0.9995)
  if (found) return value / found[0] >= 9995 ? exponent(value) : digits(value / found[0]) + found[1]
  return digits(value) + (unit === 'bytes' ? ' B' : '')
}

function exponent(value) {
  return value.toExponential(1).replace('.0e', 'e').replace('e+', 'e')
}

/// Three significant digits, without zeros at the end.
function digits(value) {
  return String(Number(value.toPrecision(3)))
}
