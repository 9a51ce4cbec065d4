import { expect, test } from 'vitest'
import { findPasswordFault } from './judge-password.ts'

const owner = {
  email: 'mia.okafor@saltbush.example',
  business_name: 'Harbourside Finance Pty Ltd',
  first_name: 'Mia',
  last_name: 'Okafor',
}

test.each([
  ['Password123!', 'Many people use'],
  ['P@$$w0rd!', 'Many people use'],
  ['password1!', 'Many people use'],
  ['Summer2026', 'Many people use'],
  ['Sydney2026', 'Many people use'],
  ['Qwerty123!', 'Many people use'],
  ['abcdefgh', 'It follows the order'],
  ['letmein!!', 'Many people use'],
  ['loan12345', 'Many people use'],
  ['aaaaaaab', 'It repeats the same characters.'],
  ['ÉÉÉÉÉÉÉÉ', 'It repeats the same characters.'],
  ['🚚🚚🚚🚚🚚🚚🚚🚚', 'It repeats the same characters.'],
  ['ﷺﷺﷺﷺﷺﷺﷺﷺ1', 'It repeats the same characters.'],
  ['29-11-1987', 'It is little more than a date.'],
  ['kw8ztqmp', 'It is short and simple'],
  ['partnerportal', 'It contains the name of this portal.'],
  ['Partner-Portal-2026!', 'It contains the name of this portal.'],
  ['Broker2026!', 'It contains a word of this trade.'],
  ['L3nder#2026', 'It is short and simple'],
  ['Mortgage-Lender1', 'It contains a word of this trade.'],
  ['Harbourside Finance Pty Ltd', 'It contains your business name. Choose words that nobody can look up.'],
  ['harbourside', 'It contains your business name.'],
  ['Harbourside-2026!', 'It contains your business name.'],
  ['finance harbourside 1', 'It contains your business name.'],
  ['harboursidepassword', 'It contains your business name.'],
  ['MiaOkafor', 'It contains your name.'],
  ['okafor.mia.1987', 'It contains your name.'],
  ['mia.okafor@saltbush.example', 'It contains your email address.'],
  ['saltbush-mia', 'It contains your email address.'],
])('%s is refused, because: %s', async (password, reason) => {
  expect(await findPasswordFault(password, owner)).toContain(reason)
})

test.each([
  'correct-horse-battery',
  'harbourside-kauri-moon',
  'Wattlebird-2026',
  'harbour-rain-5512',
  '7#kL!9$mQ@2x',
  'a sentence that only its writer would think of',
])('%s is strong enough', async (password) => {
  expect(await findPasswordFault(password, owner)).toBeUndefined()
})

test('missing and very short names do not make a password weak', async () => {
  const nobody = { email: 'a@b.co', business_name: 'X', first_name: null, last_name: null }
  expect(await findPasswordFault('lax-xylophone', nobody)).toBeUndefined()
})

test('the longest password full of look-alikes is judged in less than a second', async () => {
  await findPasswordFault('warm up', owner)
  const cpu = process.cpuUsage()
  await findPasswordFault('4@8361!05$7+2(){}[]<>|/'.repeat(5), owner)
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(1_000)
})
