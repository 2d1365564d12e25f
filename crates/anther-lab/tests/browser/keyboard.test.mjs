// Everything without a mouse: tabs by arrows, sliders, and a visible focus on all that Tab reaches.

import assert from 'node:assert/strict'
import test from 'node:test'
import { TABS, drawn, focused, startLab } from './lab.mjs'

const lab = await startLab()
/// More than any tab has.
const MOST_STOPS = 120

test('the first stop skips to the content', () => lab.visit({}, async (page) => {
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'link Skip to the content')
  const hash = await page.evaluate(() => location.hash)
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
  assert.equal(await page.evaluate(() => location.hash), hash, 'the state stays in the address')
}))

test('arrows, Home and End move between tabs', () => lab.visit({}, async (page) => {
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'tab Plan')
  const moves = [['ArrowRight', 'Look'], ['ArrowRight', 'Attack'], ['End', 'Your file'], ['ArrowRight', 'Plan'],
    ['ArrowLeft', 'Your file'], ['Home', 'Plan']]
  for (const [key, title] of moves) {
    await page.keyboard.press(key)
    assert.equal(await focused(page), `tab ${title}`)
    await drawn(page)
    assert.equal(await page.title(), `${title} – anther lab`)
  }
}))

for (const tab of TABS) {
  test(`Tab reaches all controls, and each shows its focus: ${tab}`, () => lab.visit({ state: `tab=${tab}` }, async (page) => {
    const reached = []
    while (reached.length < MOST_STOPS) {
      await page.keyboard.press('Tab')
      const stop = await page.evaluate(describeFocus)
      if (stop === null) break
      reached.push(stop)
    }
    assert.ok(reached.length < MOST_STOPS, 'the focus leaves the page at its end')
    assert.deepEqual(reached.filter((stop) => !stop.isSeen).map((stop) => stop.text), [])
    const wanted = await page.evaluate(listControls)
    const names = new Set(reached.map((stop) => stop.at))
    assert.deepEqual(wanted.filter((control) => !names.has(control.at)).map((control) => control.text), [])
  }))
}

test('arrows move a slider, and the page follows', () => lab.visit({}, async (page) => {
  const slider = page.getByRole('slider', { name: 'Keys, slider' })
  await slider.focus()
  const before = await page.getByRole('textbox', { name: 'Keys', exact: true }).inputValue()
  for (let press = 0; press < 20; press += 1) await page.keyboard.press('ArrowRight')
  // A slider has twenty steps for each power of ten.
  assert.equal(before, '10M')
  assert.equal(await page.getByRole('textbox', { name: 'Keys', exact: true }).inputValue(), '100M')
  await page.locator('.plan-stat', { hasText: 'Keys' }).getByText('100M', { exact: true }).waitFor()
  assert.equal(await focused(page), 'slider Keys, slider')
}))

test('a filter is filled and asked from the keyboard', () => lab.visit({ state: 'tab=look&look-kinds=classic' }, async (page) => {
  await page.getByRole('textbox', { name: 'Key', exact: true }).focus()
  await page.keyboard.type('ant, bee')
  await page.keyboard.press('Enter')
  await page.getByText('Step 2 of 2').waitFor()
  await page.keyboard.type('cat')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  assert.equal(await focused(page), 'button Look up')
  await page.keyboard.press('Enter')
  await page.getByText('Step 3 of 3').waitFor()
  // The next key can be typed at once; the steps are behind the other buttons.
  assert.equal(await focused(page), 'textbox Key')
  await page.getByRole('button', { name: 'Go one step back' }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.getByText('Step 2 of 3').waitFor()
  await page.keyboard.press('Home')
  await page.getByText('Step 0 of 3').waitFor()
}))

test('arrows read a chart', () => lab.visit({ state: 'tab=attack' }, async (page) => {
  const chart = page.locator('#attack .chart-plot')
  await chart.focus()
  await page.keyboard.press('End')
  await page.locator('.chart-tip').getByText('chosen keys, measured').waitFor()
  assert.match(await page.locator('.chart [role=status]').textContent(), /^1k keys inserted: chosen keys, measured/)
  await page.keyboard.press('Escape')
  await page.locator('.chart-tip').waitFor({ state: 'hidden' })
}))

test('the secret key is switched by Space', () => lab.visit({ state: 'tab=attack' }, async (page) => {
  await page.getByRole('switch', { name: /^Secret key/ }).focus()
  await page.keyboard.press('Space')
  await page.getByText('on: drawn at random').waitFor()
}))

/// In the page: where the focus is, and whether it is to be seen; null at the end of the page.
function describeFocus() {
  const node = document.activeElement
  if (node === document.body || node === null) return null
  const all = [...document.querySelectorAll('*')]
  // What is not drawn itself shows its focus on the label around it.
  const isDrawn = node.getBoundingClientRect().width > 1
  const shown = isDrawn ? node : node.closest('label') ?? node
  const box = shown.getBoundingClientRect()
  const has = (style) => style.outlineStyle !== 'none' || style.boxShadow !== 'none'
  const isSeen = box.width > 1 && box.height > 1 && has(getComputedStyle(shown))
  return { at: all.indexOf(node), isSeen, text: node.outerHTML.slice(0, 120) }
}

/// In the page: the controls that Tab must reach. Of a group of radio buttons, it is the checked one.
function listControls() {
  const all = [...document.querySelectorAll('*')]
  const isWanted = (node) => node.matches('button, input, select, summary, a[href], [tabindex="0"]') &&
    !node.matches(':disabled, [tabindex="-1"], [type=radio]:not(:checked)') && node.checkVisibility()
  return all.filter(isWanted).map((node) => ({ at: all.indexOf(node), text: node.outerHTML.slice(0, 120) }))
}
