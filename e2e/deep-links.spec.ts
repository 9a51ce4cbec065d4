import { expect } from '@playwright/test'
import { portalUrl } from './addresses.ts'
import { test } from './fresh-partner.ts'

test('a link to a lead opens the lead after the visitor has signed in', async ({ page, partner }) => {
  const loid = await partner.submitLead()
  const link = `/leads/${loid}?from=mail#notes`
  await page.goto('/login')
  await page.evaluate(() => localStorage.clear())
  await page.goto(link)
  await expect(page).toHaveURL('/login')
  await page.reload()
  await page.getByLabel('Email').fill(partner.email)
  await page.getByLabel('Password', { exact: true }).fill(partner.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Saltbush Transport')
})

const HOSTILE = [
  '//evil.example/leads',
  '//leads',
  '/%2f%2fevil.example/',
  '/%5cevil.example/',
  '/leads/%09%2F%2Fevil',
  '/leads/%00',
  '/leads/https:%2f%2fevil',
  `/leads/${'a'.repeat(5_000)}`,
  '/leads?search=//evil.example#//evil.example',
  '/login?redirect=https://evil.example#//evil.example',
]

// A second tab signs in and out, which also signs the first tab in and out.
test('no link to the portal takes the browser to another origin', async ({ page, partner, context }) => {
  const other = await context.newPage()
  await other.goto('/disown')
  for (const path of HOSTILE) {
    await other.evaluate(() => localStorage.clear())
    await page.goto(portalUrl + path)
    await expect(page.getByRole('heading', { level: 1, name: 'Sign in' }), path).toBeVisible()
    await other.evaluate((token) => localStorage.setItem('auth_token', token), partner.token)
    await expect(page, path).not.toHaveURL(/\/login/)
    expect(new URL(page.url()).origin, path).toBe(portalUrl)
  }
})
