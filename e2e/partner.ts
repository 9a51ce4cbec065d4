import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, type Page } from '@playwright/test'

export interface Account {
  number: string
  email: string
  password: string
  businessName: string
}

/** Invents an account that no other test uses. */
export function newAccount(): Account {
  const number = randomUUID().slice(0, 8)
  return {
    number,
    email: `kim-${number}@saltbush.example`,
    password: 'correct-horse-battery',
    businessName: `Kim Broking ${number}`,
  }
}

export async function signUp(request: APIRequestContext): Promise<Account> {
  const account = newAccount()
  const { email, password, businessName } = account
  const answer = await request.post('/api/auth/signup', { data: { email, password, businessName } })
  expect(answer.status()).toBe(201)
  return account
}

export async function signIn(page: Page, { email, password }: Pick<Account, 'email' | 'password'>): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.waitForURL('**/dashboard')
}
