import { expect, test } from 'vitest'
import { isGuessable } from './is-guessable.ts'

const owner = {
  email: 'mia.okafor@harbourside.example',
  business_name: 'Harbourside Finance Pty Ltd',
  first_name: 'Mia',
  last_name: 'Okafor',
}

test.each([
  'password123',
  'aaaaaaaa',
  'ÉÉÉÉÉÉÉÉ',
  '🚚🚚🚚🚚🚚🚚🚚🚚',
  'partnerportal',
  'Partner-Portal-2026!',
  'Harbourside Finance Pty Ltd',
  'harbourside',
  'finance harbourside 1',
  'MiaOkafor',
  'okafor.mia.1987',
  'mia.okafor@harbourside.example',
  'harboursidepassword',
])('%s is guessable', async (password) => {
  expect(await isGuessable(password, owner)).toBe(true)
})

test.each(['correct-horse-battery', 'harbourside-kauri-moon', 'Mia48159263', 'ab1ab1ab1', 'ﷺﷺﷺﷺﷺﷺﷺﷺ1'])(
  '%s is not guessable',
  async (password) => {
    expect(await isGuessable(password, owner)).toBe(false)
  },
)

test('missing and very short names do not make a password guessable', async () => {
  const nobody = { email: 'a@b.co', business_name: 'X', first_name: null, last_name: null }
  expect(await isGuessable('lax-xylophone', nobody)).toBe(false)
})
