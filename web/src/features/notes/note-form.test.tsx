import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { pressEnterInInputMethod } from '../../testing/input-method.ts'
import { openApp } from '../../testing/open-app.tsx'
import { dealOf, leadOf } from '../../testing/records.ts'
import { data, failure, serve } from '../../testing/server.ts'
import { paged, serveSignedIn } from '../../testing/signed-in.ts'

type Handlers = Parameters<typeof serveSignedIn>[0]

const NOTE = {
  id: 'n1',
  title: null,
  created_by: 'Harbour Finance',
  created_at: '2026-11-20T01:00:00.000Z',
  crm: 'pending',
}

async function openLead(handlers: Handlers = {}) {
  const server = serveSignedIn({
    'GET /crm/lead/LO-7K3M9QAZ': () => ({ body: data({ lead: leadOf(), notes: [], requests: [] }) }),
    'GET /crm/lead/LO-7K3M9QAZ/status-history': () => ({ body: data([]) }),
    ...handlers,
  })
  const user = openApp('/leads/LO-7K3M9QAZ')
  const text = await screen.findByLabelText<HTMLTextAreaElement>('Add a note')
  return { server, user, text, add: screen.getByRole('button', { name: 'Add Note' }) }
}

function type(text: HTMLTextAreaElement, value: string) {
  fireEvent.change(text, { target: { value } })
}

test('submitting an empty note shows what is wrong, and from then on each keystroke checks the note', async () => {
  const { server, user, text, add } = await openLead()
  await user.click(add)
  expect(screen.getByText('Please enter a note before submitting')).toBeDefined()
  expect(document.activeElement).toBe(text)
  type(text, ' hey ')
  expect(screen.getByText('Note must be at least 5 characters long')).toBeDefined()
  type(text, 'hey you')
  expect(text.getAttribute('aria-invalid')).toBeNull()
  type(text, 'x'.repeat(1_001))
  expect(screen.getByText('Note is too long. Please keep it under 1000 characters.')).toBeDefined()
  expect(screen.getByText(/1,001 \/ 1,000/)).toBeDefined()
  await user.click(add)
  expect(server.seen.some(({ path }) => path.startsWith('/crm/note'))).toBe(false)
})

test('a half-written note stays in the tab until it is added or emptied', async () => {
  const handlers = {
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
    'POST /crm/note/LO-7K3M9QAZ': () => ({
      status: 201,
      body: data({ note: { ...NOTE, content: 'Call after three' } }),
    }),
  }
  const { user, text } = await openLead(handlers)
  type(text, 'Call after th')
  await user.click(screen.getByRole('link', { name: 'Back to Leads' }))
  await user.click((await screen.findAllByRole('link', { name: 'Coastal Concrete' }))[0] ?? document.body)
  expect((await screen.findByLabelText<HTMLTextAreaElement>('Add a note')).value).toBe('Call after th')

  cleanup()
  const reloaded = await openLead(handlers)
  expect(reloaded.text.value).toBe('Call after th')
  type(reloaded.text, 'Call after three')
  await reloaded.user.click(reloaded.add)
  await waitFor(() => expect(reloaded.text.value).toBe(''))

  cleanup()
  const added = await openLead(handlers)
  expect(added.text.value).toBe('')
  type(added.text, 'No, before')
  type(added.text, '')

  cleanup()
  expect((await openLead(handlers)).text.value).toBe('')
})

test.each([
  ['signing out', signOut],
  ['signing out in another tab', signOutElsewhere],
  ['the end of the session on the server', endOnServer],
  ['the end of the session while the tab is closed', endWhileClosed],
])('%s removes a half-written note', async (_name, end) => {
  const { user, text } = await openLead()
  type(text, 'Call after three')
  expect(JSON.stringify(sessionStorage)).toContain('Call after three')
  await end(user)
  await screen.findByRole('heading', { name: 'Sign in' })
  expect(JSON.stringify(sessionStorage)).not.toContain('Call after three')

  cleanup()
  expect((await openLead()).text.value).toBe('')
})

async function signOut(user: ReturnType<typeof openApp>) {
  await user.click(screen.getByRole('button', { name: 'Sign out' }))
  await user.click(screen.getByRole('button', { name: 'Sign Out' }))
}

function signOutElsewhere() {
  localStorage.removeItem('auth_token')
  window.dispatchEvent(new StorageEvent('storage', { key: 'auth_token' }))
}

function endOnServer() {
  serve({ 'POST /auth/verify': () => ({ status: 401, body: failure('Session ended', 'UNAUTHORIZED') }) })
  document.dispatchEvent(new Event('visibilitychange'))
}

function endWhileClosed() {
  cleanup()
  localStorage.removeItem('auth_token')
  openApp('/leads/LO-7K3M9QAZ')
}

test('Ctrl+Enter sends a note, unless it ends a word in an input method', async () => {
  const { server, user, text } = await openLead({
    'POST /crm/note/LO-7K3M9QAZ': () => ({
      status: 201,
      body: data({ note: { ...NOTE, content: 'Call after three' } }),
    }),
  })
  await user.type(text, 'Call after')
  pressEnterInInputMethod(text, { ctrlKey: true })
  await user.type(text, ' three{Control>}{Enter}{/Control}')
  expect(await screen.findByText('Note added successfully')).toBeDefined()
  const sent = server.seen.filter(({ path }) => path.startsWith('/crm/note'))
  expect(sent.map(({ body }) => body)).toEqual([{ content: 'Call after three' }])
})

test('adding a note empties the form, and a retry after a failure sends the same idempotency key', async () => {
  let isUp = false
  const { server, user, text, add } = await openLead({
    'POST /crm/note/LO-7K3M9QAZ': () =>
      isUp
        ? { status: 201, body: data({ note: { ...NOTE, content: 'x' } }) }
        : { status: 500, body: failure('Full', 'INTERNAL') },
  })
  type(text, '  Call after three  ')
  await user.click(add)
  expect(await screen.findByText('Failed to add note: Full')).toBeDefined()
  expect(text.value).toBe('  Call after three  ')
  isUp = true
  await user.click(add)
  await waitFor(() => expect(text.value).toBe(''))
  const sent = server.seen.filter(({ method, path }) => method === 'POST' && path.startsWith('/crm/note'))
  expect(sent.map(({ body }) => body)).toEqual([{ content: 'Call after three' }, { content: 'Call after three' }])
  expect(sent[0]?.headers.get('idempotency-key')).toBe(sent[1]?.headers.get('idempotency-key'))
})

test('after a lost answer, a note keeps its idempotency key, even through a reload, until it is added or emptied', async () => {
  let isLost = true
  const handlers: Handlers = {
    'POST /crm/note/LO-7K3M9QAZ': () =>
      isLost
        ? Promise.reject(new TypeError('Failed'))
        : { status: 201, body: data({ note: { ...NOTE, content: 'Call after three' } }) },
  }
  async function send() {
    cleanup()
    const { server, user, text, add } = await openLead(handlers)
    if (text.value === '') type(text, 'Call after three')
    await user.click(add)
    await screen.findByText(isLost ? /^Network error/ : 'Note added successfully')
    const sent = server.seen.find(({ path }) => path === '/crm/note/LO-7K3M9QAZ')
    return { text, key: sent?.headers.get('idempotency-key') }
  }
  const first = await send()
  const again = await send()
  expect(again.key).toBe(first.key)
  type(again.text, '')
  const second = await send()
  expect(second.key).not.toBe(first.key)
  isLost = false
  expect((await send()).key).toBe(second.key)
  expect((await send()).key).not.toBe(second.key)
})

test('if the person has come back and changed the text before a note is added, the new text stays in the tab', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { user, text, add } = await openLead({
    'GET /dashboard/leads': () => ({ body: paged({ leads: [leadOf()] }) }),
    'POST /crm/note/LO-7K3M9QAZ': async () => {
      await answered
      return { status: 201, body: data({ note: { ...NOTE, content: 'Call after three' } }) }
    },
  })
  type(text, 'Call after three')
  await user.click(add)
  await user.click(screen.getByRole('link', { name: 'Back to Leads' }))
  await user.click((await screen.findAllByRole('link', { name: 'Coastal Concrete' }))[0] ?? document.body)
  type(await screen.findByLabelText<HTMLTextAreaElement>('Add a note'), 'Call after four')
  answer()
  await screen.findByText('Note added successfully')
  cleanup()
  expect((await openLead()).text.value).toBe('Call after four')
})

test('a deal’s note is sent with the deal’s LOID, the parent type and a title', async () => {
  const server = serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
    'POST /crm/note': () => ({ status: 201, body: data({ note: { ...NOTE, content: 'Settled' } }) }),
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  type(await screen.findByLabelText<HTMLTextAreaElement>('Add a note'), 'Settled')
  await user.click(screen.getByRole('button', { name: 'Add Note' }))
  expect(await screen.findByText('Note added successfully')).toBeDefined()
  expect(server.seen.find(({ path }) => path === '/crm/note')?.body).toEqual({
    loid: 'LO-7K3M9QAZ',
    parent_type: 'deal',
    title: 'Deal Note',
    content: 'Settled',
  })
})

test('a deal’s note that did not reach the CRM says so, and its Retry button sends it again', async () => {
  let crm = 'failed'
  const note = () => ({ ...NOTE, content: 'Settled', crm })
  const server = serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [note()], requests: [], converted_from_lead: false }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
    'POST /crm/note/n1/retry-push': () => {
      crm = 'pending'
      return { status: 202, body: data({ id: 'n1', crm }) }
    },
  })
  const user = openApp('/deals/LO-7K3M9QAZ')
  await user.click(await screen.findByRole('radio', { name: 'Notes (1)' }))
  await user.click(screen.getByRole('button', { name: 'Not sent – Retry' }))
  expect(await screen.findByText('The note is on its way to the CRM again')).toBeDefined()
  expect(await screen.findByText('Waiting for CRM')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Not sent – Retry' })).toBeNull()
  expect(server.seen.filter(({ path }) => path === '/crm/note/n1/retry-push')).toHaveLength(1)
})

test('a note that shows a tax file number is sent only after Send anyway', async () => {
  const server = serveSignedIn({
    'GET /crm/deal/LO-7K3M9QAZ': () => ({
      body: data({ deal: dealOf(), notes: [], requests: [], converted_from_lead: false }),
    }),
    'GET /crm/deal/LO-7K3M9QAZ/stage-history': () => ({ body: data([]) }),
    'POST /crm/note': () => ({ status: 201, body: data({ note: NOTE }) }),
  })
  const sent = () => server.seen.filter(({ path }) => path === '/crm/note')
  const user = openApp('/deals/LO-7K3M9QAZ')
  const field = await screen.findByLabelText<HTMLTextAreaElement>('Add a note')
  type(field, 'Her TFN is 123 456 782')
  await user.click(screen.getByRole('button', { name: 'Add Note' }))
  expect(await screen.findByText(/looks like a tax file number/)).toBeDefined()
  type(field, 'Her TFN follows by phone')
  expect(screen.queryByRole('button', { name: 'Send anyway' })).toBeNull()
  type(field, 'Her TFN is 123 456 782')
  await user.click(screen.getByRole('button', { name: 'Add Note' }))
  expect(sent()).toHaveLength(0)
  await user.click(await screen.findByRole('button', { name: 'Send anyway' }))
  expect(document.activeElement).toBe(field)
  expect(await screen.findByText('Note added successfully')).toBeDefined()
  expect(sent()).toHaveLength(1)
})
