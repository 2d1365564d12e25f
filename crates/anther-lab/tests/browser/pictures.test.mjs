// Pictures that must not change: the same state twice, and the cells of the worked example beside a
// picture that is committed. Text is left out of that one: fonts differ between machines.
//
// To accept a change of the cells: ANTHER_NEW_PICTURES=1 node --test pictures.test.mjs

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'node:test'
import { drawn, keep, startLab } from './lab.mjs'

const lab = await startLab()
const CELLS = new URL('cells-of-12.png', import.meta.url)
/// Browsers of other versions smooth edges in other ways.
const MOST_DIFFERENT = 0.01
/// One browser on a busy machine does so too, in a few pixels.
const MOST_DIFFERENT_TWICE = 0.0005

for (const tab of ['plan', 'look', 'file']) {
  test(`the same state is the same picture: ${tab}`, async () => {
    const pictures = []
    let share
    for (const round of [1, 2]) {
      await lab.visit({ state: `tab=${tab}` }, async (page) => {
        await page.mouse.move(0, 0)
        pictures.push(await keep(page, `same ${tab} ${round}`))
        if (round === 2) share = await difference(page, ...pictures)
      })
    }
    assert.ok(share < MOST_DIFFERENT_TWICE, `${(100 * share).toFixed(3)} % of the pixels of target/page/screenshots/same ${tab} 1.png and 2.png differ`)
  })
}

test('there and back is the same picture', () => lab.visit({ state: 'tab=look' }, async (page) => {
  const before = await keep(page, 'back 1')
  await page.getByRole('tab', { name: 'Your file' }).click()
  await page.goBack()
  await drawn(page)
  await page.evaluate(() => document.activeElement.blur())
  await page.mouse.move(0, 0)
  assert.ok(before.equals(await keep(page, 'back 2')))
}))

test('the cells of the worked example are those of the committed picture', () => lab.visit({ state: 'tab=look' }, async (page) => {
  await page.locator('.cells text').evaluateAll((texts) => texts.forEach((text) => text.remove()))
  const now = await page.locator('.cells').screenshot({ animations: 'disabled' })
  if (process.env.ANTHER_NEW_PICTURES) writeFileSync(CELLS, now)
  const share = await difference(page, now, readFileSync(CELLS))
  assert.ok(share < MOST_DIFFERENT, `${(100 * share).toFixed(2)} % of the pixels differ`)
}))

/// The share of pixels that differ visibly, compared by the browser, which can read PNG.
async function difference(page, one, other) {
  const blank = await page.context().newPage()
  const share = await blank.evaluate(async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (base64) => {
      const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob())
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
      canvas.drawImage(picture, 0, 0)
      return canvas.getImageData(0, 0, picture.width, picture.height)
    }))
    if (a.width !== b.width || a.height !== b.height) return 1
    let different = 0
    for (let at = 0; at < a.data.length; at += 4) {
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel] - b.data[at + channel]) > 48)) different += 1
    }
    return different / (a.width * a.height)
  }, [one, other].map((picture) => picture.toString('base64')))
  await blank.close()
  return share
}
