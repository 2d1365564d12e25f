// The tab Attack: chosen keys against a public seed, and against a secret key.

import assert from 'node:assert/strict'
import test from 'node:test'
import { drawn, keep, startLab } from './lab.mjs'

const lab = await startLab()

/// Runs an attack, without and with the secret key, and hands on what the page says.
const attack = (name, look) => lab.visit({ state: `tab=attack&attack=${name}` }, async (page) => {
  const says = () => page.locator('.outcome .why').textContent()
  const open = await says()
  await keep(page, `attack ${name}, key off`)
  await page.getByRole('switch', { name: /^Secret key/ }).check()
  await page.locator('.outcome.keyed[aria-busy=false]').waitFor()
  const keyed = await says()
  await keep(page, `attack ${name}, key on`)
  look(open, keyed)
})
const rates = (text) => (text.match(/[\d.]+ %/g) ?? []).map(Number.parseFloat)

test('chosen keys fill a filter faster, unless it has a secret key', () => attack('pollute', (open, keyed) => {
  const [chosen, random] = rates(open)
  assert.ok(chosen > 5 * random, open)
  const [with_key] = rates(keyed)
  assert.ok(with_key < 3 * random, keyed)
}))

test('forged lookups all match, unless it has a secret key', () => attack('forge', (open, keyed) => {
  assert.match(open, /100 %|all/i)
  const rate = Math.min(...rates(keyed))
  assert.ok(rate < 10, keyed)
}))

test('crowded buckets reject keys, unless it has a secret key', () => attack('crowd', (open, keyed) => {
  assert.match(open, /accepts 8 of 9 chosen keys and rejects the next/)
  assert.match(keyed, /accepts 9 of 9 chosen keys/)
}))

test('the number of keys and the rate are chosen, and kept in the address', () =>
  lab.visit({ state: 'tab=attack' }, async (page) => {
    await page.getByRole('textbox', { name: 'Made for keys' }).fill('200')
    await page.keyboard.press('Enter')
    await page.locator('.outcome .why', { hasText: /^200 chosen keys/ }).waitFor()
    await page.waitForFunction(() => location.hash.includes('attack-items=200'))
    await drawn(page)
  }))
