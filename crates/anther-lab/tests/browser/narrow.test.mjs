// The smallest phones: nothing is beyond the edge, and fingers hit what they touch.

import assert from 'node:assert/strict'
import test from 'node:test'
import { NARROW, TABS, keep, overflows, startLab } from './lab.mjs'

const lab = await startLab()
const phone = { viewport: NARROW, hasTouch: true, isMobile: true }

/// What makes a tab wide.
const FULL = {
  plan: 'tab=plan&items=1234567890123&solve=fpr&memory=16TiB&needs=remove,count,ranges&plot=keys',
  look: 'tab=look&look-kinds=classic,cuckoo,quotient,scalable&look-acts=iant*ibee*qa-key-that-is-longer-than-the-screen-is-wide',
  attack: 'tab=attack&attack=forge',
}

for (const [state, tab] of [...TABS.map((tab) => [`tab=${tab}`, tab]), ...Object.entries(FULL).map(([tab, state]) => [state, `${tab}, full`])]) {
  test(`320 pixels are enough: ${tab}`, () => lab.visit({ ...phone, state }, async (page) => {
    assert.equal(await overflows(page), false)
    await keep(page, `narrow ${tab}`)
  }))
}

test('what a finger touches is 24 pixels high', () => lab.visit({ ...phone, state: 'tab=look' }, async (page) => {
  // The least of WCAG 2.2, success criterion 2.5.8.
  const small = await page.evaluate(() => [...document.querySelectorAll('button, select, input:not(.unseen)')]
    .filter((node) => node.checkVisibility())
    .map((node) => node.closest('label') ?? node)
    .filter((node) => node.getBoundingClientRect().height < 24)
    .map((node) => node.outerHTML.slice(0, 100)))
  assert.deepEqual(small, [])
}))

test('a finger reads a chart', () => lab.visit({ ...phone, state: 'tab=attack' }, async (page) => {
  await page.locator('#attack .chart-plot').tap()
  await page.locator('.chart-tip').getByText('chosen keys, measured').waitFor()
  assert.equal(await overflows(page), false)
}))
