// The tab Plan: the questions of a newcomer, and the state in the address.

import assert from 'node:assert/strict'
import test from 'node:test'
import { REFUSAL, anther, drawn, keep, startLab } from './lab.mjs'

const lab = await startLab()
const stat = (page, name) => page.locator('.plan-stat', { has: page.getByText(name, { exact: false }) }).locator('strong')
const field = (page, name) => page.getByRole('textbox', { name, exact: true })

test('10M addresses in 16 MiB: how sure?', () => lab.visit({}, async (page) => {
  await field(page, 'Keys').fill('10M')
  await field(page, 'Memory').fill('16 MiB')
  await page.locator('.plan-stat.computed', { hasText: 'FPR' }).waitFor()
  const said = JSON.parse((await anther('plan', '--items', '10M', '--memory', '16MiB', '--kind', 'blocked', '--json')).stdout)
  const shown = await stat(page, 'FPR').textContent()
  const rate = Number.parseFloat(shown) / 100
  assert.ok(Math.abs(rate - said.fpr) < 0.01 * said.fpr, `${shown} on the page, ${said.fpr} in the terminal`)
}))

test('which kind, if keys must be removed?', () => lab.visit({}, async (page) => {
  assert.equal(await page.locator('.plan-kind h3').textContent(), 'blocked')
  await page.getByRole('checkbox', { name: 'Remove keys' }).check()
  await page.locator('.plan-kind h3', { hasText: /quotient|cuckoo/ }).waitFor()
  const kind = await page.locator('.plan-kind h3').textContent()
  const row = page.getByRole('row', { name: kind }).filter({ hasText: 'best' })
  assert.match(await row.textContent(), /remove/)
}))

test('what does 0.1 % cost?', () => lab.visit({}, async (page) => {
  const before = await stat(page, 'Memory').textContent()
  await field(page, 'False-positive rate (FPR)').fill('0.1 %')
  await page.locator('.plan-stat', { hasText: '1 in 1,000' }).waitFor()
  const after = await stat(page, 'Memory').textContent()
  assert.ok(Number.parseFloat(after) > 1.3 * Number.parseFloat(before), `${before}, then ${after}`)
}))

test('every kind has its row, and choosing one changes the lines to copy', () => lab.visit({}, async (page) => {
  const rows = page.locator('table.kinds tbody tr:not(.group)')
  assert.ok(await rows.count() >= 20, `${await rows.count()} kinds`)
  await page.getByRole('radio', { name: /^cuckoo/ }).check()
  await page.locator('.copyable', { hasText: '--kind cuckoo' }).waitFor()
  for (const [title, text] of [['Rust', 'Cuckoo'], ['Python', 'anther'], ['redis-cli', 'CF.'], ['Shell', 'anther build']]) {
    await page.getByRole('radiogroup', { name: 'Lines to copy' }).getByText(title, { exact: true }).click()
    await page.locator('.copyable', { hasText: text }).first().waitFor()
  }
  await page.getByRole('button', { name: 'Use blocked instead' }).click()
  await page.locator('.plan-kind h3', { hasText: 'blocked' }).waitFor()
}))

test('a line is copied', () => lab.visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
  await page.getByRole('button', { name: /^Copy: anther build/ }).click()
  await page.getByRole('button', { name: /^Copy: anther build/ }).getByText('Copied').waitFor()
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^anther build .* --items 10000000 --fpr 1%$/)
}))

test('a lookup is timed on this machine', () => lab.visit({ state: 'tab=plan&items=1000' }, async (page) => {
  await page.getByRole('button', { name: 'Measure a lookup in blocked on this machine' }).first().click()
  await page.locator('.plan-stat', { hasText: 'here, ' }).waitFor()
  assert.match(await stat(page, 'Time per lookup').textContent(), /^[\d.]+ (ns|µs)$/)
}))

for (const [name, title] of [['FPR by fill', /^False-positive rate by fill/], ['Memory by keys', /^Memory by number of keys/], ['FPR by bits per key', /by bits per key/]]) {
  test(`several kinds in a plot: ${name}`, () => lab.visit({ state: 'tab=plan&with=classic,cuckoo,quotient' }, async (page) => {
    await page.getByRole('radiogroup', { name: 'What to plot' }).getByText(name).click()
    await page.locator('.plan-plots figcaption', { hasText: title }).waitFor()
    for (const kind of ['classic', 'cuckoo', 'quotient']) {
      await page.locator('.plan-plots .chart-legend').getByText(new RegExp(`^${kind}`)).first().waitFor()
    }
    await page.locator('.plan-plots .chart-plot').hover()
    await page.locator('.plan-plots .chart-tip').getByText(/^classic/).first().waitFor()
    await keep(page, `plot ${name}`)
  }))
}

test('a line of a plot is switched off and on', () => lab.visit({}, async (page) => {
  const lines = page.locator('.plan-plots .chart-plot .line')
  const before = await lines.count()
  const key = page.locator('.plan-plots .chart-legend').getByRole('button', { name: 'classic' })
  await key.click()
  assert.equal(await lines.count(), before - 1)
  assert.equal(await key.getAttribute('aria-pressed'), 'false')
  await key.click()
  assert.equal(await lines.count(), before)
}))

test('a number that makes no sense is refused in words', () => lab.visit({ expects: REFUSAL }, async (page) => {
  await field(page, 'Keys').fill('ten')
  const said = page.locator('.plan-number [role=alert]', { hasText: 'a whole number is needed' })
  await said.waitFor()
  assert.equal(await field(page, 'Keys').getAttribute('aria-invalid'), 'true')
  assert.match(await field(page, 'Keys').getAttribute('aria-describedby'), new RegExp(await said.getAttribute('id')))
  // What was computed before is still there, and marked.
  await page.locator('.plan-answer.stale[aria-busy=true] .plan-stat').first().waitFor()
  await field(page, 'Keys').fill('10')
  await page.locator('.plan-answer[aria-busy=false]:not(.stale) .plan-stat').first().waitFor()
  assert.equal(await field(page, 'Keys').getAttribute('aria-invalid'), 'false')
  assert.equal(await said.count(), 0)
  await field(page, 'Keys').fill(' ')
  await page.locator('#plan-items-error', { hasText: 'two of keys' }).waitFor()
}))

test('the short formulas have the numbers of the fields', () => lab.visit({}, async (page) => {
  await page.getByText('Formulas of a classic filter').click()
  const value = (formula) => page.getByRole('row', { name: formula }).getByRole('cell')
  assert.equal(await value('0.6185').textContent(), '1 %')
  assert.equal(await value('9m / 13n').textContent(), '6.636')
  await field(page, 'False-positive rate (FPR)').fill('0.1 %')
  await value('0.6185').getByText('0.1 %').waitFor()
  await keep(page, 'formulas')
}))

test('hash functions have a range', () => lab.visit({ expects: REFUSAL }, async (page) => {
  await page.getByText('Hash functions', { exact: true }).first().click()
  await page.locator('#plan-probes').fill('0')
  await page.locator('#plan-probes-error', { hasText: '1 to 64' }).waitFor()
  assert.equal(await page.locator('#plan-probes').getAttribute('aria-invalid'), 'true')
}))

test('the FPR may be written as the page writes it', () => lab.visit({}, async (page) => {
  await field(page, 'False-positive rate (FPR)').fill('1 in 1,000')
  await page.locator('.plan-stat', { hasText: '1 in 1,000' }).waitFor()
}))

test('a chosen kind stays while it meets the needs', () => lab.visit({}, async (page) => {
  const kind = (name) => page.locator('.plan-kind h3', { hasText: name }).waitFor()
  await page.getByRole('radio', { name: /^cuckoo/ }).check()
  await kind('cuckoo')
  await page.getByRole('checkbox', { name: 'Remove keys' }).check()
  await page.getByText('These do what you need').waitFor()
  await page.locator('.plan-kind', { hasText: 'You chose' }).locator('h3', { hasText: 'cuckoo' }).waitFor()
  await page.getByRole('checkbox', { name: 'Remove keys' }).uncheck()
  await page.getByRole('checkbox', { name: 'Static' }).check()
  await page.locator('.plan-left', { hasText: 'You chose cuckoo, which does not do all of this.' }).waitFor()
  await page.locator('.plan-kind h3').filter({ hasNotText: 'cuckoo' }).waitFor()
}))

test('kinds that take longer do not show the numbers of another question', () => lab.visit({}, async (page) => {
  const stable = page.getByRole('row', { name: /stable/ })
  await stable.filter({ hasText: '1 %' }).waitFor()
  let answerAll
  const held = new Promise((resolve) => { answerAll = resolve })
  await page.route('**/api/plan', async (route) => {
    if (!route.request().postDataJSON().quick) await held
    await route.continue()
  })
  await field(page, 'False-positive rate (FPR)').fill('0.1 %')
  await stable.filter({ hasText: 'Not yet computed' }).waitFor()
  assert.doesNotMatch(await stable.textContent(), /1 %/)
  answerAll()
  await stable.filter({ hasText: '0.1 %' }).waitFor()
}))

test('screen readers hear sentences, and words for dashes', () => lab.visit({}, async (page) => {
  await page.locator('#said', { hasText: 'blocked. ' }).waitFor({ state: 'attached' })
  assert.doesNotMatch(await page.locator('#said').textContent(), /\.\./)
  await page.getByRole('row', { name: /^weighted/ }).getByRole('img', { name: 'not in the record' }).waitFor()
  await page.getByTitle(/n·log2\(1\/FPR\) bits/).waitFor()
}))

test('an axis has one style', () => lab.visit({}, async (page) => {
  const ticks = await page.locator('.plan-plots .chart-plot .grid text[text-anchor=end]:not(.label)').allTextContents()
  const powers = ticks.filter((text) => /^1(e-\d+)?$/.test(text))
  assert.ok(ticks.length > 2 && (powers.length === ticks.length || powers.length === 0), ticks.join(', '))
}))

test('the address keeps what is shown, and --state opens it again', async () => {
  let hash
  await lab.visit({}, async (page) => {
    await field(page, 'Keys').fill('3M')
    await page.getByRole('checkbox', { name: 'Remove keys' }).check()
    await page.getByRole('radiogroup', { name: 'What to plot' }).getByText('FPR by fill').click()
    await page.waitForFunction(() => /items=3M/.test(location.hash) && /plot=fill/.test(location.hash))
    hash = await page.evaluate(() => location.hash)
  })
  const again = await startLab('--state', hash)
  assert.ok(again.address.endsWith(hash), `${again.address} does not end with ${hash}`)
  await again.visit({}, async (page) => {
    await drawn(page)
    assert.equal(await field(page, 'Keys').inputValue(), '3M')
    assert.equal(await page.getByRole('checkbox', { name: 'Remove keys' }).isChecked(), true)
    await page.locator('.plan-plots figcaption', { hasText: 'fill' }).waitFor()
  })
})
