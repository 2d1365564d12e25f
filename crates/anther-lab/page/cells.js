// Draws a step of a filter: the key, its hash functions, and the cells that they lead to.
//
// The cells are those of the library, as `api/look` tells them. Nothing here knows how a filter works:
// it breaks rows into lines, and draws marks. Every mark has a shape besides its colour.

import { element, svg } from './element.js'

const MARGIN = 8
const TOP = 104 // for the key and its hash functions
const MOST_ARROWS = 14
// The least room for the name of a hash function.
const LEAST_ROOM = 31
// If at least this many lines in a row have nothing to do with the step, they are folded.
const FOLD = 3

/// What is drawn below a cell, and what it means: the same in every kind.
const MARKS = {
  missing: ['✕', 'empty: the reason for the no'],
  found: ['✓', 'has the tag of the key'],
  set: ['●', 'a cell of the key, changed in this step'],
  touched: ['▲', 'a cell of the key'],
  moved: ['◆', 'changed in this step'],
  shared: ['', 'also a cell of another key'],
  stuck: ['', 'at its largest value: removing keys does not lower it'],
}

/// The picture of a step that is `width` pixels wide, and a legend of its marks.
/// `names` are what its hash functions are called.
export function picture(told, { width, names = [], isWhole = false }) {
  const { step } = told
  if (step.rows.length === 0) {
    return [element('p', { class: 'quiet' }, 'No cells yet: a static filter is built from all its keys. Insert some.')]
  }
  const rows = step.rows.map((row, number) => layout(row, number, step, width, isWhole))
  const arrows = step.key ? chooseArrows(step, width) : []
  let y = arrows.length > 0 ? TOP : MARGIN
  for (const row of rows) {
    row.y = y
    y += row.height
  }
  const drawing = svg('svg', {
    class: 'cells', role: 'img', width, height: y + 4, viewBox: `0 0 ${width} ${y + 4}`,
    'aria-label': describe(told),
  })
  const seen = new Set()
  if (arrows.length > 0) drawing.append(...drawArrows(arrows, rows, told, names, width))
  for (const row of rows) drawing.append(drawRow(row, seen))
  return [drawing, legend(seen)]
}

/// The step in words, for those who do not see it.
function describe({ step }) {
  const row = (row) => {
    const most = 64
    const cells = row.cells.slice(0, most).map((text) => text || 'empty').join(' ')
    const more = row.cells.length > most ? ` and ${row.cells.length - most} more` : ''
    return `${row.name}: ${cells}${more}`
  }
  return [step.title, step.note, ...step.rows.map(row)].filter(Boolean).join('. ')
}

function legend(seen) {
  const known = Object.entries(MARKS).filter(([name]) => seen.has(name))
  return element('ul', { class: 'legend', 'aria-hidden': true }, known.map(([name, [mark, means]]) =>
    element('li', { class: `mark-${name}` },
      name === 'shared' ? element('span', { class: 'corner' }) : name === 'stuck' ? element('span', { class: 'lid' }) : element('b', {}, mark), ` ${means}`)))
}

// ---- Rows in lines. ----

/// A row with the places of its cells, relative to its top.
function layout(row, number, step, width, isWhole) {
  const digits = Math.max(1, ...row.cells.map((text) => text.length))
  const isDense = row.cells.length > 96
  // Few cells are drawn larger.
  const room = (width - 2 * MARGIN) / Math.max(row.cells.length, 1) - 2
  const least = isDense ? 15 : Math.min(40, Math.max(24, room))
  const cell = {
    width: Math.max(least, digits * (isDense ? 6.2 : 8) + (isDense ? 6 : 12)),
    height: isDense ? 18 : Math.max(28, Math.min(34, least)),
  }
  const isGrouped = row.groups.length > 1
  const between = isGrouped ? (isDense ? 4 : 8) : 0
  const margin = 8 * String(row.first + row.cells.length).length + 10
  const isOneLine = row.cells.length * cell.width + between * row.groups.length <= width - 2 * MARGIN
  const fit = isOneLine ? row.cells.length : Math.max(1, Math.floor((width - margin - MARGIN + between) / (cell.width + (isGrouped ? between / groupSize(row) : 0))))
  const states = stateOf(row, number, step)
  const lines = fold(breakLines(row, fit), states, isWhole)
  const places = new Map()
  const left = lines.length > 1 ? margin : MARGIN
  const lineHeight = cell.height + (isDense ? 14 : 30)
  let y = 22
  for (const line of lines) {
    line.y = y
    if (line.folded) {
      y += 24
      continue
    }
    let x = left
    for (let at = line.from; at < line.to; at += 1) {
      if (at > line.from && isGrouped && row.groups.includes(row.first + at)) x += between
      places.set(at, { x, y })
      x += cell.width
    }
    line.end = x
    y += lineHeight
  }
  return { row, cell, places, lines, states, isDense, isGrouped, height: y + 8, left }
}

function groupSize(row) {
  return row.groups.length > 1 ? row.groups[1] - row.groups[0] : row.cells.length
}

/// Where lines of at most `most` cells begin and end: between groups where they fit, or within them.
function breakLines(row, most) {
  const length = row.cells.length
  if (length <= most) return [{ from: 0, to: length }]
  const round = [100, 64, 50, 32, 20, 16, 10, 8, 5, 4, 2].find((number) => number <= most) ?? 1
  const ends = [...row.groups.map((at) => at - row.first).filter((at) => at > 0), length]
  const hasGroups = row.groups.length > 0
  const lines = []
  let at = 0
  for (const end of ends) {
    const last = lines.at(-1)
    if (last && hasGroups && end - last.from <= most) last.to = end
    else if (hasGroups && end - at <= most) lines.push({ from: at, to: end })
    else for (let from = at; from < end; from += round) lines.push({ from, to: Math.min(from + round, end) })
    at = end
  }
  return lines
}

/// The lines, with those that have nothing to do with the step put together. If none has, the first
/// ones stay.
function fold(lines, states, isWhole) {
  const isQuiet = ({ from, to }) => !states.slice(from, to).some((state) => state.touched || state.changed)
  if (isWhole) return lines
  const kept = lines.every(isQuiet) ? lines.slice(0, FOLD) : []
  for (let at = kept.length; at < lines.length;) {
    let end = at
    while (end < lines.length && isQuiet(lines[end])) end += 1
    if (end - at >= FOLD) {
      const taken = states.slice(lines[at].from, lines[end - 1].to).filter((state) => state.taken).length
      kept.push({ folded: end - at, taken })
      at = end
    } else {
      kept.push(lines[at])
      at += 1
    }
  }
  return kept
}

/// What there is to say of each cell of a row.
function stateOf(row, number, step) {
  const states = row.cells.map(() => ({}))
  for (const name of ['taken', 'changed', 'shared', 'missing', 'stuck', 'found']) {
    for (const cell of row[name]) if (states[cell - row.first]) states[cell - row.first][name] = true
  }
  for (const touch of step.touches) {
    if (touch.row === number && states[touch.cell - row.first]) states[touch.cell - row.first].touched = true
  }
  for (const state of states) {
    state.mark = state.missing ? 'missing' : state.found ? 'found'
      : state.touched && state.changed ? 'set' : state.touched ? 'touched' : state.changed ? 'moved' : null
  }
  return states
}

function drawRow({ row, cell, places, lines, states, isDense, isGrouped, y: top, left }, seen) {
  const group = svg('g', { transform: `translate(0 ${top})`, class: isDense ? 'dense' : null })
  group.append(svg('text', { class: 'name', x: MARGIN, y: 13 }, row.name))
  // Where buckets have numbers, cells have none.
  const isBuckets = row.buckets !== null
  for (const line of lines) {
    if (line.folded) {
      const more = `… ${line.folded} more lines${line.taken ? `, ${line.taken} ${line.taken === 1 ? 'cell' : 'cells'} in use` : ''}`
      group.append(svg('text', { class: 'folded', x: left, y: line.y + 14 }, more))
      continue
    }
    // Small buckets have their numbers below.
    if (lines.length > 1 && (isDense || !isBuckets)) {
      const start = row.first + line.from
      group.append(svg('text', { class: 'index', x: left - 8, y: line.y + cell.height / 2 + 4, 'text-anchor': 'end' },
        String(isBuckets ? row.buckets + row.groups.indexOf(start) : start)))
    }
    for (let at = line.from; at < line.to; at += 1) {
      const { x, y } = places.get(at)
      const state = states[at]
      group.append(drawCell(row.cells[at], state, x, y, cell, isDense))
      if (state.mark) seen.add(state.mark)
      if (state.shared && state.touched) seen.add('shared')
      if (state.stuck) seen.add('stuck')
      const middle = x + cell.width / 2
      if (state.mark) {
        group.append(svg('text', {
          class: `mark mark-${state.mark}`, x: middle, y: y + cell.height + (isDense ? 9 : 12), 'text-anchor': 'middle',
        }, MARKS[state.mark][0]))
      }
      if (isDense) continue
      const number = row.first + at
      if (isBuckets) {
        const bucket = row.groups.indexOf(number)
        if (bucket >= 0) {
          const wide = Math.min(groupSize(row), line.to - at) * cell.width
          group.append(svg('text', { class: 'index', x: x + wide / 2, y: y + cell.height + 24, 'text-anchor': 'middle' },
            String(row.buckets + bucket)))
        }
      } else {
        group.append(svg('text', { class: 'index', x: middle, y: y + cell.height + 24, 'text-anchor': 'middle' }, String(number)))
      }
    }
  }
  if (isGrouped) group.classList.add('grouped')
  return group
}

function drawCell(text, state, x, y, cell, isDense) {
  const names = ['taken', 'changed', 'touched', 'missing', 'found'].filter((name) => state[name])
  const group = svg('g', { class: ['cell', ...names].join(' ') })
  group.append(svg('rect', { x: x + 1, y, width: cell.width - 2, height: cell.height, rx: isDense ? 2 : 3 }))
  if (state.shared && state.touched) {
    const size = isDense ? 5 : 7
    group.append(svg('path', { class: 'corner', d: `M${x + cell.width - 1 - size} ${y} h${size} v${size} z` }))
  }
  if (state.stuck) group.append(svg('path', { class: 'lid', d: `M${x + 1} ${y - 1} h${cell.width - 2} v${isDense ? 3 : 5} h${2 - cell.width} z` }))
  group.append(svg('text', { x: x + cell.width / 2, y: y + cell.height / 2 + (isDense ? 3.5 : 4.5), 'text-anchor': 'middle' },
    text || '·'))
  return group
}

// ---- From the key to its cells. ----

/// The touches that get an arrow: one for each hash function and cell, or for each bucket.
function chooseArrows(step, width) {
  const chosen = []
  const known = new Set()
  for (const touch of step.touches) {
    const row = step.rows[touch.row]
    const isBucket = row.buckets !== null
    const name = isBucket ? `${touch.row} ${bucketOf(row, touch.cell)}` : `${touch.row} ${touch.cell} ${touch.hash}`
    if (known.has(name)) continue
    known.add(name)
    chosen.push({ ...touch, isBucket })
  }
  return chosen.length <= MOST_ARROWS && chosen.length * LEAST_ROOM <= width ? chosen : []
}

function bucketOf(row, cell) {
  return row.groups.findLast((start) => start <= cell)
}

function drawArrows(arrows, rows, { step, hash }, names, width) {
  const label = step.key.length > 24 ? `${step.key.slice(0, 23)}…` : step.key
  const functions = [...new Set(arrows.map((arrow) => arrow.hash).filter(Boolean))]
  const keyWidth = Math.max(40, label.length * 8.4 + 20)
  // The key stands above the middle of the cells, and not of the page.
  const used = Math.min(width, Math.max(...rows.map((row) => Math.max(...row.lines.map((line) => line.end ?? 0)))))
  const middle = Math.max(keyWidth / 2 + MARGIN, Math.min(used, width) / 2)
  const nodes = []
  const lines = []
  const chips = new Map()
  const text = (hash) => names[hash - 1] ?? (arrows.some((arrow) => arrow.isBucket) ? `choice ${hash}` : `h${hash}`)
  const wide = Math.max(...functions.map((hash) => text(hash).length * 7.4 + 14), 30)
  const step_ = functions.length > 1
    ? Math.min(wide + 28, Math.max(wide + 4, (Math.max(used, 220) - wide) / (functions.length - 1)), (width - wide - 2 * MARGIN) / (functions.length - 1))
    : 0
  const first = Math.max(MARGIN + wide / 2, middle - (functions.length - 1) * step_ / 2)
  functions.forEach((hash, at) => {
    const x = first + at * step_
    chips.set(hash, x)
    lines.push(svg('path', { class: 'arrow', d: curve(middle, 30, x, 50) }))
    nodes.push(svg('g', { class: 'function' },
      svg('rect', { x: x - wide / 2, y: 50, width: wide, height: 22, rx: 11 }),
      svg('text', { x, y: 65, 'text-anchor': 'middle' }, text(hash))))
  })
  nodes.push(svg('g', { class: `key ${step.action}` },
    svg('rect', { x: middle - keyWidth / 2, y: 4, width: keyWidth, height: 26, rx: 4 }),
    svg('text', { x: middle, y: 22, 'text-anchor': 'middle' }, label)))
  const beside = middle + keyWidth / 2 + 8
  if (hash && beside + 6.7 * (hash.length + 5) < width) {
    nodes.push(svg('text', { class: 'hash', x: beside, y: 21 }, `hash ${hash}`))
  }
  for (const arrow of arrows) {
    const { row, places, cell, y: top, states } = rows[arrow.row]
    const at = arrow.cell - row.first
    const place = places.get(at)
    if (!place) continue
    const size = arrow.isBucket ? Math.min(groupSize(row), row.cells.length - at) : 1
    const x = place.x + size * cell.width / 2
    const y = top + place.y - 3
    const from = chips.has(arrow.hash) ? [chips.get(arrow.hash), 72] : [middle, 30]
    const isMissing = states[at].missing
    lines.push(svg('path', { class: `arrow${isMissing ? ' missing' : ''}`, d: curve(...from, x, y - 4) }))
    lines.push(svg('path', { class: `head${isMissing ? ' missing' : ''}`, d: `M${x - 4} ${y - 6} L${x} ${y} L${x + 4} ${y - 6} z` }))
  }
  return [...lines, ...nodes]
}

function curve(x1, y1, x2, y2) {
  const bend = Math.min(40, (y2 - y1) / 2)
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
}
