// Tabs, the address, the theme, messages: what all tabs share.

import assert from 'node:assert/strict'
import test from 'node:test'
import { REFUSAL, TABS, drawn, startLab } from './lab.mjs'

const lab = await startLab()

test('each tab opens by a click, and has its title', () => lab.visit({}, async (page) => {
  assert.equal(await page.title(), 'Plan – anther lab')
  for (const title of ['Look', 'Attack', 'Your file', 'Plan']) {
    await page.getByRole('tab', { name: title }).click()
    await drawn(page)
    assert.equal(await page.title(), `${title} – anther lab`)
    assert.equal(await page.getByRole('tabpanel', { name: title }).isVisible(), true)
    assert.equal(await page.getByRole('tabpanel').count(), 1)
  }
}))

test('the browser goes back to the tab before', () => lab.visit({ state: 'tab=attack' }, async (page) => {
  await page.getByRole('tab', { name: 'Your file' }).click()
  await drawn(page)
  await page.goBack()
  await drawn(page)
  assert.equal(await page.title(), 'Attack – anther lab')
}))

test('an unknown tab shows the first', () => lab.visit({ state: 'tab=nothing' }, async (page) => {
  assert.equal(await page.title(), 'Plan – anther lab')
}))

for (const tab of TABS) {
  test(`all that takes the focus has a name: ${tab}`, () => lab.visit({ state: `tab=${tab}` }, async (page) => {
    const client = await page.context().newCDPSession(page)
    const { nodes } = await client.send('Accessibility.getFullAXTree')
    const takesFocus = ({ properties }) => properties?.some(({ name, value }) => name === 'focusable' && value.value)
    const found = nodes.filter((node) => !node.ignored && takesFocus(node) && node.role.value !== 'RootWebArea')
    assert.ok(found.length > 5, `${found.length} elements take the focus`)
    const nameless = found.filter(({ role, name }) => !name?.value && !['main', 'generic'].includes(role.value))
    assert.deepEqual(nameless.map(({ role }) => role.value), [])
  }))
}

test('the landmarks and the headings are there', () => lab.visit({}, async (page) => {
  for (const role of ['banner', 'main', 'contentinfo', 'tablist']) assert.equal(await page.getByRole(role).count(), 1, role)
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1)
  assert.equal(await page.locator('html').getAttribute('lang'), 'en')
}))

test('an error is an alert until it is closed', () => lab.visit({ state: 'tab=attack', expects: REFUSAL }, async (page) => {
  await page.getByRole('textbox', { name: 'Made for keys' }).fill('many')
  await page.keyboard.press('Enter')
  const alert = page.getByRole('alert')
  await alert.getByText('many').waitFor()
  await alert.getByRole('button').click()
  await alert.waitFor({ state: 'hidden' })
}))

test('the page says that the program was ended', async () => {
  const other = await startLab()
  await other.visit({ state: 'tab=attack', expects: /ERR_CONNECTION_REFUSED/ }, async (page) => {
    await other.end()
    await page.getByRole('radio', { name: 'Forge lookups' }).check()
    await page.getByText('The program does not answer. Start it again: anther lab').waitFor()
  })
})
