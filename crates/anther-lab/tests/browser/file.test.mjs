// The tab Your file: a dropped filter, a dropped list, and files that are neither.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { gzipSync } from 'node:zlib'
import { REFUSAL, anther, keep, overflows, NARROW, startLab } from './lab.mjs'

const lab = await startLab()
const folder = mkdtempSync(join(tmpdir(), 'anther-page-'))
after(() => rmSync(folder, { recursive: true }))

const list = join(folder, 'words.txt')
const filter = join(folder, 'words.anther')
writeFileSync(list, Array.from({ length: 1000 }, (_, at) => `word${at}\n`).join(''))
await anther('build', filter, list, '--kind', 'classic', '--fpr', '1%')

const choose = (page, ...files) => page.locator('#file-input').setInputFiles(...files)
const facts = (page) => page.locator('#file .facts').first().textContent()

test('a filter is described, measured and drawn', () => lab.visit({ state: 'tab=file' }, async (page) => {
  await choose(page, filter)
  await page.getByRole('heading', { name: 'words.anther' }).waitFor()
  assert.match(await facts(page), /classic/)
  assert.match(await facts(page), /1,?000/)
  await page.getByText('Looked up: 100,000 random keys.').waitFor()
  await page.getByRole('textbox', { name: 'Look up a key' }).fill('word7')
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.locator('.verdict.maybe').waitFor()
  assert.ok(await page.locator('#file .cells .cell').count() > 0)
  await keep(page, 'file, a filter')
  await page.getByRole('textbox', { name: 'Look up a key' }).fill('no such word')
  await page.keyboard.press('Enter')
  await page.locator('.verdict.no').waitFor()
  await page.getByRole('button', { name: 'Next cells' }).click()
  await page.getByText(/^Cells 512 to/).waitFor()
}))

test('a filter is dropped anywhere on the page', () => lab.visit({ state: 'tab=plan' }, async (page) => {
  const bytes = [...readFileSync(filter)]
  const drag = (names) => page.evaluate(([bytes, names]) => {
    const dropped = new DataTransfer()
    dropped.items.add(new File([new Uint8Array(bytes)], 'dropped.anther'))
    for (const name of names) {
      document.querySelector('footer').dispatchEvent(new DragEvent(name, { dataTransfer: dropped, bubbles: true, cancelable: true }))
    }
  }, [bytes, names])
  await drag(['dragenter'])
  await page.locator('.drop').waitFor({ state: 'attached' })
  await drag(['dragover', 'drop'])
  await page.getByRole('heading', { name: 'dropped.anther' }).waitFor()
}))

test('a list becomes a filter of the kind that is chosen', () => lab.visit({ state: 'tab=file' }, async (page) => {
  await choose(page, list)
  await page.getByRole('heading', { name: 'words.txt is a list' }).waitFor()
  await page.getByText('Looked up: every key of the list').waitFor()
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('cuckoo')
  await page.getByRole('button', { name: 'Build the filter' }).click()
  await page.locator('.copyable', { hasText: '--kind cuckoo' }).waitFor()
  await page.locator('#file .facts', { hasText: 'cuckoo' }).first().waitFor()
  await page.locator('#file .cells').waitFor()
  await keep(page, 'file, a list')
}))

test('the next file replaces the one before', () => lab.visit({ state: 'tab=file' }, async (page) => {
  await choose(page, filter)
  await page.getByRole('heading', { name: 'words.anther' }).waitFor()
  await choose(page, list)
  await page.getByRole('heading', { name: 'words.txt is a list' }).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'words.anther', exact: true }).count(), 0)
}))

test('a compressed list becomes a filter', () => lab.visit({ state: 'tab=file' }, async (page) => {
  await choose(page, { name: 'words.gz', mimeType: 'application/gzip', buffer: gzipSync(readFileSync(list)) })
  await page.getByRole('heading', { name: 'words.gz is a list' }).waitFor()
  await page.getByText('Looked up: every key of the list').waitFor()
  assert.match(await page.locator('#file').textContent(), /1,?000/)
}))

test('a folder is named as one', () => lab.visit({ state: 'tab=file' }, async (page) => {
  const client = await page.context().newCDPSession(page)
  const box = await page.locator('.drop').boundingBox()
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await client.send('Input.dispatchDragEvent', { type, x: box.x + 20, y: box.y + 20, data })
  }
  await page.getByRole('alert').getByText('is a folder').waitFor()
}))

const damaged = readFileSync(filter)
damaged[Math.floor(damaged.length / 2)] ^= 1
for (const [what, name, buffer] of [
  ['a damaged filter', 'damaged.anther', damaged],
  ['half a filter', 'half.anther', readFileSync(filter).subarray(0, 200)],
  ['a compressed filter', 'words.anther.gz', gzipSync(readFileSync(filter))],
  ['an empty file', 'empty', Buffer.alloc(0)],
]) {
  test(`${what} is refused in words, and the page goes on`, () => lab.visit({ state: 'tab=file', expects: REFUSAL }, async (page) => {
    await choose(page, { name, mimeType: 'application/octet-stream', buffer })
    const alert = page.getByRole('alert')
    await alert.getByText(name).waitFor()
    assert.doesNotMatch(await alert.textContent(), /\/tmp|panicked|dropped/)
    await keep(page, `file, ${what}`)
    await choose(page, filter)
    await page.getByRole('heading', { name: 'words.anther' }).waitFor()
    await alert.waitFor({ state: 'hidden' })
  }))
}

test('a described file fits on a phone', () => lab.visit({ state: 'tab=file', viewport: NARROW }, async (page) => {
  await choose(page, filter)
  await page.locator('#file .cells').waitFor()
  assert.equal(await overflows(page), false)
  await keep(page, 'narrow file, a filter')
}))

test('messages have the name of the file that was given', () => lab.visit({ state: 'tab=file' }, async (page) => {
  const full = join(folder, 'full.anther')
  await anther('build', full, list, '--items', '100', '--fpr', '1%')
  await choose(page, full)
  await page.getByText('warning: full.anther: ').first().waitFor()
  assert.doesNotMatch(await page.locator('#file').innerText(), /dropped/i)
}))
