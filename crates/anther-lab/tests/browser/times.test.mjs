// How long a visitor waits. Printed, not asserted: the machine may be busy.

import test from 'node:test'
import { startLab } from './lab.mjs'

const ROUNDS = 7
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
const print = (what, times) => console.log(`${what}: ${Math.round(median(times))} ms (${times.map(Math.round).join(', ')})`)

test('first paint', async () => {
  const [started, painted] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    const lab = await startLab()
    started.push(lab.startedAfter)
    await lab.visit({}, async (page) => {
      painted.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime))
    })
  }
  print('from the start of the program to its address', started)
  print('from the address to the first paint', painted)
})

for (const [needs, about] of [['', 'any kind'], ['remove', 'keys can be removed']]) {
  test(`a slider's change is drawn: ${about}`, async () => {
    const lab = await startLab()
    await lab.visit({ state: `tab=plan&needs=${needs}` }, async (page) => {
      await page.getByRole('slider', { name: 'Keys, slider' }).focus()
      const times = []
      for (let round = 0; round < 3 * ROUNDS; round += 1) {
        await page.evaluate(() => { delete document.documentElement.dataset.drawn })
        await page.keyboard.press('ArrowRight')
        await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined)
        times.push(Number(await page.evaluate(() => document.documentElement.dataset.drawn)))
      }
      print(`from a slider's change to the drawn page, ${about}`, times)
    })
  })
}
