// Light and dark: by the system, or by the switch; text stands out in both.

import assert from 'node:assert/strict'
import test from 'node:test'
import { TABS, keep, startLab } from './lab.mjs'

const lab = await startLab()
/// Of WCAG, for text that is not large.
const LEAST_CONTRAST = 4.5

for (const colorScheme of ['light', 'dark']) {
  for (const tab of TABS) {
    test(`text stands out: ${colorScheme} ${tab}`, () => lab.visit({ state: `tab=${tab}`, colorScheme }, async (page) => {
      await keep(page, `${colorScheme} ${tab}`)
      assert.equal(await brightness(page) < 0.5, colorScheme === 'dark')
      const faint = await page.evaluate(listFaint, LEAST_CONTRAST)
      assert.deepEqual(faint, [])
    }))
  }
}

test('the switch overrules the system, and is kept in the address', () => lab.visit({ colorScheme: 'dark' }, async (page) => {
  assert.equal(await brightness(page) < 0.5, true)
  await page.getByRole('button', { name: 'Theme: auto' }).click()
  assert.equal(await brightness(page) > 0.5, true)
  await page.waitForFunction(() => location.hash.includes('theme=light'))
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await page.getByRole('button', { name: 'Theme: dark' }).click()
  assert.equal(await page.getByRole('button', { name: 'Theme: auto' }).isVisible(), true)
}))

/// Of the page's background, from 0 to 1.
function brightness(page) {
  return page.evaluate(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number)
    return (red + green + blue) / 3 / 255
  })
}

/// In the page: texts whose contrast to what is behind them is too low.
function listFaint(least) {
  const colour = (text) => {
    const canvas = listFaint.canvas ??= new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = text
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const behind = (node) => {
    for (let up = node; up; up = up.parentElement) {
      const found = colour(getComputedStyle(up).backgroundColor)
      if (found[3] > 250) return found
    }
    return [255, 255, 255, 255]
  }
  const luminance = (rgb) => rgb.slice(0, 3).map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
    .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const faint = []
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement
    const isShown = texts.currentNode.data.trim() !== '' && node.checkVisibility() && !node.closest('.unseen, svg, :disabled, option')
    if (!isShown) continue
    const [front, back] = [luminance(colour(getComputedStyle(node).color)), luminance(behind(node))]
    const contrast = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
    if (contrast < least) faint.push(`${texts.currentNode.data.trim().slice(0, 40)}: ${contrast.toFixed(2)}`)
  }
  return faint
}
