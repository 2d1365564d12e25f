// The tab Look: small filters, step by step, and filled until they fail.

import assert from 'node:assert/strict'
import test from 'node:test'
import { REFUSAL, drawn, keep, startLab } from './lab.mjs'

const lab = await startLab()
const key = (page) => page.getByRole('textbox', { name: 'Key', exact: true })
const press = (page, name) => page.getByRole('button', { name, exact: true }).click()
const answers = (page, kind, answer) => page.getByRole('article', { name: kind }).locator('.verdict').filter({ hasText: answer }).waitFor()

test('why did 12 match?', () => lab.visit({ state: 'tab=look&look-kinds=cuckoo' }, async (page) => {
  await page.getByRole('button', { name: /^Why did 12 match/ }).click()
  await answers(page, 'classic', /maybe – a false positive$/)
  assert.match(await page.locator('.why').first().textContent(), /^12 was never inserted, but 2 has the same bits: 2, 7 and 3/)
  const bits = await page.locator('.cells .cell text').allTextContents()
  assert.equal(bits.join(''), '0111100101')
  assert.equal(await page.locator('.cells .cell.touched').count(), 3)
  assert.match(await page.getByRole('img').first().getAttribute('aria-label'), /12/)
}))

test('every worked example is one click away', () => lab.visit({ state: 'tab=look' }, async (page) => {
  const examples = page.getByRole('navigation', { name: 'Worked examples of the texts' }).getByRole('button')
  const count = await examples.count()
  assert.ok(count >= 8, `${count} examples`)
  for (let at = 0; at < count; at += 1) {
    await examples.nth(at).click()
    await page.waitForFunction(() => document.querySelector('#look').dataset.done === 'true')
    await page.locator('.view .cells').first().waitFor()
    assert.equal(await page.locator('.view .error').count(), 0, await examples.nth(at).textContent())
    await drawn(page)
    assert.equal(await examples.nth(at).getAttribute('aria-pressed'), 'true')
    assert.equal(await examples.and(page.locator('[aria-pressed=true]')).count(), 1)
    const [number] = (await examples.nth(at).textContent()).match(/\[\d\]/)
    await page.getByRole('region', { name: 'The texts of the examples' }).getByText(number).waitFor()
    await keep(page, `example ${at + 1}`)
  }
}))

test('a counter that overflows is marked', () => lab.visit({ state: 'tab=look' }, async (page) => {
  await page.getByRole('button', { name: /^What if a counter overflows/ }).click()
  await answers(page, 'counting', /no$/)
  assert.equal(await page.locator('.cell .lid').count(), 1)
  await page.locator('.legend', { hasText: 'removing keys does not lower it' }).waitFor()
  await page.locator('dl.facts', { hasText: 'counters at maximum' }).waitFor()
}))

test('keys are inserted, looked up, removed, and steps go back and forward', () =>
  lab.visit({ state: 'tab=look&look-kinds=counting' }, async (page) => {
    await key(page).fill('ant')
    await press(page, 'Insert')
    await page.getByText('Step 1 of 1').waitFor()
    await press(page, 'Look up')
    await answers(page, 'counting', /maybe$/)
    await press(page, 'Remove')
    await page.getByText('Step 3 of 3').waitFor()
    await press(page, 'Look up')
    await answers(page, 'counting', /no$/)
    assert.equal(await page.locator('.cell.taken').count(), 0)
    await page.getByRole('button', { name: 'Go to the first step' }).click()
    await page.getByText('Step 0 of 4').waitFor()
    await page.getByRole('button', { name: 'Go one step forward' }).click()
    await page.getByText('Step 1 of 4').waitFor()
    assert.ok(await page.locator('.cell.taken').count() > 0)
    await page.goBack()
    await page.getByText('Step 3 of 3').waitFor()
  }))

test('a plain filter cannot remove', () => lab.visit({ state: 'tab=look&look-kinds=classic' }, async (page) => {
  assert.equal(await page.getByRole('button', { name: 'Remove', exact: true }).isDisabled(), true)
}))

test('every kind can be looked at', async () => {
  let kinds
  await lab.visit({ state: 'tab=look&look-kinds=classic' }, async (page) => {
    kinds = await page.getByRole('combobox', { name: 'Kind' }).locator('option').allTextContents()
  })
  assert.ok(kinds.length >= 20, `${kinds.length} kinds`)
  for (const kind of kinds) {
    const insert = kind === 'bloomier' ? 'iant=1*ibee=2' : 'iant*ibee'
    await lab.visit({ state: `tab=look&look-kinds=${kind}&look-others=yak&look-acts=${insert}*qant&fill-items=100` }, async (page) => {
      assert.deepEqual(await page.locator('.view .error').allTextContents(), [], kind)
      assert.ok(await page.locator('.view .cells .cell').count() > 0, kind)
      await keep(page, `kind ${kind}`)
    })
  }
})

test('kinds side by side hear the same', () => lab.visit({ state: 'tab=look&look-kinds=classic' }, async (page) => {
  await press(page, 'Compare with another kind')
  await page.locator('.view').nth(1).waitFor()
  await key(page).fill('ant, bee, cat')
  await press(page, 'Insert')
  await key(page).fill('bee')
  await press(page, 'Look up')
  for (const kind of ['classic', 'counting']) await answers(page, kind, /maybe$/)
  await drawn(page)
  await keep(page, 'look side by side')
}))

test('twice as many keys: the measured rate follows the predicted one', () =>
  lab.visit({ state: 'tab=look&look-kinds=classic&fill-items=500' }, async (page) => {
    const said = await page.locator('.filling .says li', { hasText: '1,000 keys, twice' }).textContent()
    const [measured, predicted] = said.match(/([\d.]+) %/g).map(Number.parseFloat)
    assert.ok(measured > 10 && Math.abs(measured - predicted) < 0.15 * predicted, said)
    assert.ok(await page.locator('.filling .mark').count() > 10)
    await page.getByText('As a table').click()
    // A row for each measured point; the lines are predicted.
    assert.equal(await page.locator('.filling table tbody tr').count(), await page.locator('.filling .chart-plot .mark').count())
  }))

test('a filter that is full says so', () => lab.visit({ state: 'tab=look&look-kinds=cuckoo&fill-items=500' }, async (page) => {
  assert.match(await page.locator('.filling .says').textContent(), /full|reject|refuse/i)
  await press(page, 'Fill to 16 keys, twice its capacity')
  await page.getByText('Step 16 of 16').waitFor()
}))

test('the chart comes back after a number that is none', () =>
  lab.visit({ state: 'tab=look&look-kinds=classic&fill-items=500', expects: REFUSAL }, async (page) => {
    const items = page.locator('.filling').getByRole('textbox', { name: 'Made for keys' })
    await items.fill('abc')
    await press(page, 'Fill again')
    await page.locator('.filling .error', { hasText: 'abc' }).waitFor()
    assert.equal(await page.locator('.filling .chart-plot').isVisible(), false)
    await items.fill('1000')
    await press(page, 'Fill again')
    await drawn(page)
    assert.equal(await page.locator('.filling .chart-plot svg').isVisible(), true)
    assert.ok(await page.locator('.filling .mark').count() > 10)
  }))

test('a key that no filter takes is refused beside the field, and the next is taken', () =>
  lab.visit({ state: 'tab=look' }, async (page) => {
    const cells = page.locator('.cells .cell')
    const before = await cells.count()
    for (const refused of ['-3', 'ant', '7, -3']) {
      await key(page).fill(refused)
      await press(page, 'Insert')
      await page.locator('#look-key-refused', { hasText: 'whole numbers' }).waitFor()
      await drawn(page)
      assert.equal(await cells.count(), before)
      await page.getByText('Step 6 of 6').waitFor()
    }
    await key(page).fill('3')
    await press(page, 'Insert')
    await page.getByText('Step 7 of 7').waitFor()
    assert.equal(await page.locator('#look-key-refused').isVisible(), false)
  }))

test('more keys than are replayed are refused in words, and many at once are taken', () =>
  lab.visit({ state: 'tab=look&look-kinds=classic&look-items=200', expects: REFUSAL }, async (page) => {
    const keys = (count) => Array.from({ length: count }, (_, at) => `key${at}`).join(', ')
    await key(page).fill(keys(400))
    await press(page, 'Insert')
    await page.locator('#look-key-refused', { hasText: 'at most 300 steps' }).waitFor()
    await key(page).fill(keys(200))
    await press(page, 'Insert')
    await page.getByText('Step 200 of 200').waitFor()
  }))

test('a number of cells that is none is refused beside the field', () => lab.visit({ state: 'tab=look' }, async (page) => {
  const cells = page.getByRole('textbox', { name: 'Cells' })
  for (const refused of ['-1', '', 'abc', '1e400', '0', '8193', '2.5']) {
    await cells.fill(refused)
    await cells.press('Enter')
    await page.locator('#look-bits-refused', { hasText: '1 to 8,192' }).waitFor()
    assert.equal(await cells.getAttribute('aria-invalid'), 'true', refused)
    assert.equal(await page.locator('.cells .cell').count(), 10, refused)
    await cells.fill('10')
    await cells.press('Enter')
    assert.equal(await page.locator('#look-bits-refused').textContent(), '')
  }
  await cells.fill('12')
  await cells.press('Enter')
  await page.locator('.cells .cell').nth(11).waitFor()
}))

test('a number of cells that is none in the address is explained', () =>
  lab.visit({ state: 'tab=look&look-kinds=classic&look-bits=-1&look-hashes=x' }, async (page) => {
    assert.match(await page.locator('.view .error').textContent(), /1 to 8192/)
  }))

test('with formulas, the page says where the other kinds are', () => lab.visit({ state: 'tab=look' }, async (page) => {
  const kind = page.getByRole('combobox', { name: 'Kind' })
  assert.equal(await kind.locator('option').count(), 2)
  await page.getByText('“the library’s own” hash functions are for all kinds').waitFor()
  await page.getByRole('combobox', { name: 'Hash functions' }).selectOption('own')
  await drawn(page)
  assert.ok(await kind.locator('option').count() >= 20)
  assert.equal(await page.locator('#look-kind-help').textContent(), '')
}))

test('the kind, the keys and the rate of the tab Plan are taken over', () =>
  lab.visit({ state: 'tab=plan&kind=cuckoo&items=5000&fpr=2 %' }, async (page) => {
    await page.getByRole('tab', { name: 'Look' }).click()
    await page.getByRole('article', { name: 'cuckoo' }).waitFor()
    assert.equal(await page.locator('#fill-items').inputValue(), '5000')
    assert.equal(await page.locator('#fill-fpr').inputValue(), '2 %')
    assert.equal(await page.locator('#look-fpr').inputValue(), '2 %')
    // Too many to be drawn.
    await page.getByRole('tab', { name: 'Plan' }).click()
    await page.getByRole('textbox', { name: 'Keys', exact: true }).fill('10M')
    await page.getByRole('tab', { name: 'Look' }).click()
    await page.waitForFunction(() => document.querySelector('#fill-items').value === '1000')
  }))

test('what the tab Plan has later is taken over, too', () =>
  // The program refuses 1,00.
  lab.visit({ state: 'tab=plan&kind=cuckoo&items=5k&fpr=2 %', expects: REFUSAL }, async (page) => {
    const turn = async (name) => page.getByRole('tab', { name }).click()
    await turn('Look')
    await page.getByRole('article', { name: 'cuckoo' }).waitFor()
    for (const [items, shown] of [['5k', '5k'], ['1,000', '1,000'], ['1e3', '1e3'], ['1_500', '1_500'], ['1,00', '1000'], ['11k', '1000']]) {
      await turn('Plan')
      await page.getByRole('textbox', { name: 'Keys', exact: true }).fill(items)
      await turn('Look')
      await page.waitForFunction((shown) => document.querySelector('#fill-items').value === shown, shown)
    }
    await page.evaluate(() => { location.hash = 'tab=look&kind=quotient&items=5k&fpr=3 %&look-kinds=cuckoo' })
    await page.getByRole('article', { name: 'quotient' }).waitFor()
    assert.equal(await page.locator('#look-fpr').inputValue(), '3 %')
    // What is chosen here stays, until another kind is chosen there.
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('classic')
    await page.getByRole('article', { name: 'classic' }).waitFor()
    await turn('Plan')
    await turn('Look')
    await drawn(page)
    await page.getByRole('article', { name: 'classic' }).waitFor()
  }))
