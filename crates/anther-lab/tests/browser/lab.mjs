// The program with its page, and a browser to look at it.
//
//   const lab = await startLab()
//   test('…', () => lab.visit({ state: 'tab=plan' }, async (page) => { … }))
//
// Every visit has a browser profile of its own, and fails if the page writes an error to the console
// or asks another origin.
//
// `cargo xtask test page` runs all. After it, one file alone, with the program that cargo built last:
//
//   cargo build && node --test crates/anther-lab/tests/browser/plan.test.mjs

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/// Where `cargo xtask test page` installs playwright-core, and screenshots are kept.
const PLACE = new URL('../../../../target/page/', import.meta.url)
const { chromium } = createRequire(PLACE)('playwright-core')

export const TABS = ['plan', 'look', 'attack', 'file']
export const WIDE = { width: 1280, height: 900 }
/// The smallest phone.
export const NARROW = { width: 320, height: 640 }

const PROGRAM = process.env.ANTHER ?? fileURLToPath(new URL('../debug/anther', PLACE))
const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync']
/// The machine may be busy with other tests.
const PATIENCE = 20_000

/// Runs the program to its end.
export const anther = (...args) => promisify(execFile)(PROGRAM, args)

/// Starts the program and a browser. Both end with the file of tests.
export async function startLab(...args) {
  const before = performance.now()
  const { child, address } = await serve(args)
  const startedAfter = performance.now() - before
  const browser = await chromium.launch({ executablePath: BROWSER, args: FLAGS })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const end = () => {
    child.kill('SIGINT')
    return ended
  }
  after(async () => {
    await browser.close()
    await end()
  })
  return { address, startedAfter, end, visit: (options, look) => visit(browser, address, options, look) }
}

/// The program, and the address that it prints.
async function serve(args) {
  const child = spawn(PROGRAM, ['lab', '--no-open', '--json', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  for await (const part of child.stdout) {
    printed += part
    if (printed.includes('\n')) break
  }
  assert.notEqual(printed, '', `${PROGRAM} lab printed no address`)
  return { child, address: JSON.parse(printed).address }
}

/// What a browser writes to the console when the program refuses a request.
export const REFUSAL = /^Failed to load resource: .* status of 4\d\d/

/// Opens the page in a state, waits until it is drawn, and hands it to `look`. Errors in the console that
/// `expects` matches are right.
async function visit(browser, address, { state, expects, ...options }, look) {
  const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(PATIENCE)
  try {
    const page = await context.newPage()
    const wrong = []
    const { origin } = new URL(address)
    page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()) })
    page.on('pageerror', (error) => wrong.push(error.message))
    page.on('request', (request) => { if (new URL(request.url()).origin !== origin) wrong.push(`asked ${request.url()}`) })
    await page.goto(state === undefined ? address : `${address.split('#')[0]}#${state}`)
    await drawn(page)
    await look(page)
    assert.deepEqual(wrong.filter((text) => !expects?.test(text)), [])
  } finally {
    await context.close()
  }
}

/// Waits until the shown tab has drawn all that it asked for.
export async function drawn(page) {
  const isDone = {
    plan: '#plan .plan-answer[aria-busy=false] >> visible=true',
    look: '#look[data-done=true]',
    attack: '#attack .outcome[aria-busy=false]',
    file: '#file .drop',
  }
  const tab = await page.locator('[role=tab][aria-selected=true]').getAttribute('aria-controls')
  await page.locator(isDone[tab]).waitFor()
  if (tab === 'plan') await page.locator('#plan .chart-place[aria-busy=false] svg').first().waitFor()
  if (tab === 'look') await page.locator('#look .filling[data-done=true]').waitFor()
}

/// Keeps a picture of the whole page under target/page/screenshots, to look at.
export async function keep(page, name) {
  const folder = new URL('screenshots/', PLACE)
  mkdirSync(folder, { recursive: true })
  return page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, folder)), fullPage: true, animations: 'disabled' })
}

/// Whether anything is beyond the right edge of the window.
export const overflows = (page) => page.evaluate(() =>
  document.documentElement.scrollWidth > document.documentElement.clientWidth)

/// Where the focus is: role and name, as a screen reader says it.
export async function focused(page) {
  const client = await page.context().newCDPSession(page)
  const { nodes } = await client.send('Accessibility.getFullAXTree')
  await client.detach()
  const node = nodes.findLast(({ properties }) => properties?.some(({ name, value }) => name === 'focused' && value.value))
  return `${node?.role.value} ${node?.name?.value ?? ''}`
}
