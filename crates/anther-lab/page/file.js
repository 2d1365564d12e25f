// The tab Your file: a filter or a list that the user drops. The program describes, measures and draws it.

import { upload } from './api.js'
import { command } from './copyable.js'
import { element, field } from './element.js'
import { showCells } from './file_cells.js'

/// As the server has it.
const MOST_BYTES = 256 * 2 ** 20

/// Puts the tab into its section.
export function mount(section, context) {
  const tab = new FileTab(context)
  section.classList.add('stack')
  section.append(tab.dropZone(), tab.shown)
}

class FileTab {
  constructor(context) {
    this.context = context
    /// What is known about the file.
    this.shown = element('div', { class: 'stack' })
    /// Ends requests about the file before.
    this.before = new AbortController()
  }

  dropZone() {
    const input = element('input', { type: 'file', id: 'file-input', class: 'unseen' })
    input.addEventListener('change', () => this.take(input.files[0]))
    // A label, so that a click and the keyboard open the browser's own dialog.
    const zone = element('label', { class: 'drop', for: input.id },
      input,
      element('strong', {}, 'Drop a filter or a list of keys here'),
      element('span', { class: 'label' }, 'or choose a file of up to 256 MiB'))
    // Everywhere on the page: a file that misses the zone must not replace the page.
    const isFile = (event) => [...event.dataTransfer.types].includes('Files')
    addEventListener('dragover', (event) => {
      if (!isFile(event)) return
      event.preventDefault()
      zone.classList.add('over')
    })
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) zone.classList.remove('over')
    })
    addEventListener('drop', (event) => {
      if (!isFile(event)) return
      event.preventDefault()
      zone.classList.remove('over')
      this.context.setState({ tab: 'file' })
      const [item] = event.dataTransfer.items
      this.take(event.dataTransfer.files[0], { isFolder: item?.webkitGetAsEntry?.()?.isDirectory })
    })
    const about = element('p', { class: 'quiet' },
      'A filter of anther or of another system, or a list with one key per line, which may be compressed ',
      'with gzip, zstd, xz or bzip2. ',
      'The program on this machine reads it. It is sent nowhere else, and its copy is deleted when ',
      'you drop the next one or end the program. The address does not keep it: after a reload, drop it again.')
    return element('div', {}, zone, about)
  }

  /// Sends a file to the program, and shows what it says.
  async take(file, { isFolder = false } = {}) {
    if (!file) return
    this.before.abort()
    this.before = new AbortController()
    const { signal } = this.before
    const { clear, fail, say } = this.context
    clear()
    this.shown.replaceChildren(element('p', { class: 'quiet' }, `Reading ${file.name} …`))
    try {
      if (isFolder) throw new Error(`${file.name} is a folder. Drop a file in it.`)
      // Otherwise the request would fail as if the program had ended.
      await file.slice(0, 1).arrayBuffer().catch(() => {
        throw new Error(`${file.name} cannot be read. It may be a folder, or have been moved or deleted.`)
      })
      if (file.size === 0) throw new Error(`${file.name} is empty. Drop a filter, or a list with one key per line.`)
      if (file.size > MOST_BYTES) {
        throw new Error(`${file.name} is larger than 256 MiB. Use the program in a terminal: anther info FILE`)
      }
      const stored = await upload('file', file, { signal })
      const subject = { name: file.name, signal, ask: this.asker(file.name, stored.id, signal) }
      const info = await subject.ask('info')
      say(`${file.name} was read.`)
      if (info.list) this.showList(subject)
      else await this.showFilter(subject, info, this.shown)
    } catch (error) {
      if (!signal.aborted) this.shown.replaceChildren()
      fail(error)
    }
  }

  /// Asks the program about a file. Errors get its name.
  asker(name, id, signal) {
    return async (what, more = {}) => {
      try {
        return named(await this.context.api(`file/${what}`, { id, ...more }, { signal }), name)
      } catch (error) {
        if (error.cause) throw new Error(`${name}: ${named(error.cause, name)}`)
        throw error
      }
    }
  }

  /// A list: the user chooses a kind and a rate, and the program builds a filter.
  async showList(subject) {
    const kinds = await this.context.api('kinds', {}, { signal: subject.signal })
    // The others need a second list or values.
    const usable = kinds.filter((kind) => !['bloomier', 'cascade', 'weighted'].includes(kind.name))
    const kind = element('select', { id: 'file-kind' },
      ...usable.map(({ name, purpose }) =>
        element('option', { value: name, title: purpose, selected: name === 'blocked' }, name)))
    const fpr = element('input', { id: 'file-fpr', value: '1%', size: 8, autocomplete: 'off' })
    const form = element('form', { class: 'row' },
      field('Kind', kind), field('False-positive rate', fpr),
      element('button', { class: 'primary', type: 'submit' }, 'Build the filter'))
    const result = element('div', { class: 'stack' })
    let isFirst = true
    const build = async () => {
      result.replaceChildren(element('p', { class: 'quiet' }, 'Building …'))
      try {
        const built = await subject.ask('build', { kind: kind.value, fpr: fpr.value })
        isFirst = false
        const info = await subject.ask('info')
        const line = `anther build ${quoted(`${subject.name}.anther`)} ${quoted(subject.name)} ` +
          `--kind ${kind.value} --fpr ${quoted(fpr.value)}`
        await this.showFilter({ ...subject, notes: built.notes, build: line }, info, result)
      } catch (error) {
        // If not even the default works, it is no list.
        if (!subject.signal.aborted) (isFirst ? this.shown : result).replaceChildren()
        this.context.fail(error)
      }
    }
    form.addEventListener('submit', (event) => { event.preventDefault(); build() })
    const heading = element('h2', {}, `${subject.name} is a list`)
    this.shown.replaceChildren(element('div', { class: 'card stack' }, heading, form), result)
    await build()
  }

  /// A filter: what it is, what it does when measured, and its cells.
  async showFilter(subject, info, into) {
    const { say } = this.context
    const file = quoted(subject.build ? `${subject.name}.anther` : subject.name)
    const heading = subject.build ? `Filter of ${subject.name}` : subject.name
    const described = element('div', { class: 'card stack' },
      element('h2', {}, heading), ...notes(subject.notes ?? info.notes),
      ...blocks(info, heading))
    if (subject.build) described.append(command(subject.build, say))
    described.append(command(`anther info ${file}`, say))
    const measured = element('div', { class: 'card stack' }, element('h2', {}, 'Measured'))
    const drawn = element('div', { class: 'card stack' }, element('h2', {}, 'Cells'))
    into.replaceChildren(element('div', { class: 'halves' }, described, measured), drawn)
    await this.fill(measured, async () => {
      const result = await subject.ask('measure')
      const members = subject.build ? ` --members ${quoted(subject.name)}` : ''
      const lookedUp = subject.build ? 'every key of the list and 100,000 random keys' : '100,000 random keys'
      return [
        element('p', { class: 'quiet' }, `Looked up: ${lookedUp}.`),
        ...notes(result.notes), ...blocks(result),
        command(`anther measure ${file} --random 100k${members}`, say),
      ]
    })
    await showCells(drawn, subject, file, this.context)
  }

  /// Appends what a request brings, or says why there is nothing.
  async fill(card, ask) {
    const waiting = element('p', { class: 'quiet' }, 'Working …')
    card.append(waiting)
    try {
      const parts = await ask()
      waiting.replaceWith(...parts)
    } catch (error) {
      if (error.name === 'AbortError') throw error
      waiting.textContent = error.message
    }
  }
}

/// What the program said, with the file's own name where it has those of the server's copies. A drawing has none.
function named(said, name) {
  if (typeof said === 'string') return said.replaceAll('dropped.file', name).replaceAll('built.anther', `${name}.anther`)
  const { blocks, notes } = said
  if (!blocks) return said
  const words = (text) => named(text, name)
  return { ...said, notes: notes.map(words), blocks: blocks.map(({ title, rows }) => ({
    // The heading has the name; here are those of filters within the file.
    title: title.replace(/^(dropped\.file|built\.anther):?\s*/, ''),
    rows: rows.map((row) => row.map(words)),
  })) }
}

/// What the program describes: names and texts. A file may have several filters.
function blocks({ blocks }) {
  return blocks.flatMap(({ title, rows }) => {
    const facts = element('dl', { class: 'facts' },
      ...rows.flatMap(([name, text]) => [
        element('dt', {}, name), element('dd', {}, text)]))
    return title ? [element('h3', {}, title), facts] : [facts]
  })
}

function notes(lines) {
  return lines.map((line) => element('p', { class: 'quiet' }, line))
}

/// A word of a command line, quoted where the shell would read it otherwise.
function quoted(word) {
  const safe = word.startsWith('-') ? `./${word}` : word
  return /^[\w@%+=:,./-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", "'\\''")}'`
}
