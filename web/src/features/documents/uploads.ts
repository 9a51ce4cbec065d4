import { beginUpload, completeUpload, DOCUMENT_PART_BYTES, storePart } from '@portal/contract/documents.ts'
import { showsTaxFileNumber } from '@portal/contract/tax-file-number.ts'
import { useSyncExternalStore } from 'react'
import { call } from '../../api/call.ts'
import { Failure, failureText } from '../../api/failure.ts'
import { onTokenChange, readPersonId } from '../../api/token.ts'

/** Where files go: the record, and what the lender asked, if they answer it. */
export interface UploadTo {
  loid: string
  requestId?: string | undefined
}

/** A file that this page is sending. */
export interface Upload extends UploadTo {
  key: number
  /** The document on the server, once the upload has begun. */
  documentId?: string
  name: string
  size: number
  /** In bytes. */
  sent: number
  /**
   * `warned` until the person has decided about a name that shows a tax file number; `waiting` while there is no
   * connection; `failed` for good, with the reason.
   */
  state: 'warned' | 'sending' | 'waiting' | 'checking' | 'failed'
  problem?: string
  /** Sends a file whose name shows a tax file number. */
  onSendAnyway?: () => void
}

const AT_ONCE = 2
const WAIT_MS_MAX = 15_000
/** What the server says of itself, and not of the file, passes. */
const isPassing = (error: unknown) =>
  error instanceof Failure && (error.status === 0 || error.status === 429 || error.status >= 500)

let uploads: readonly Upload[] = []
let lastKey = 0
let running = 0
/** The person who chose the files. */
let owner: string | null = null
let isListening = false
const waiting: (() => void)[] = []
const listeners = new Set<() => void>()

/** The files on their way from this page, by all its parts. They go on while the person looks at other pages. */
export function useUploads(): readonly Upload[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => uploads,
  )
}

/**
 * Sends files, two at a time. A connection that breaks, or a server that restarts, only delays them. `onSent` is called for
 * each file that has arrived, with the server's words if the file was refused.
 */
export function startUploads(
  files: readonly File[],
  to: UploadTo,
  onSent: (name: string, problem: string | null) => void,
): void {
  owner = readPersonId()
  // The first listener is told of a session that ended earlier. The session itself needs to hear that, so this comes later.
  if (!isListening) onTokenChange(forgetOthers)
  isListening = true
  for (const file of files) {
    lastKey += 1
    const { name, size } = file
    const upload: Upload = { ...to, key: lastKey, name, size, sent: 0, state: 'sending' }
    if (showsTaxFileNumber(name)) {
      const handleSendAnyway = () => {
        update(upload.key, { state: 'sending' })
        void send(upload, file, onSent)
      }
      change([...uploads, { ...upload, state: 'warned', onSendAnyway: handleSendAnyway }])
    } else {
      change([...uploads, upload])
      void send(upload, file, onSent)
    }
  }
}

/** Ends the uploads when the session has ended, so that nobody else goes on with the files or sees their names. */
function forgetOthers(): void {
  if (readPersonId() !== owner) change([])
}

export function dismissUpload(key: number): void {
  change(uploads.filter((one) => one.key !== key))
}

async function send(upload: Upload, file: File, onSent: (name: string, problem: string | null) => void): Promise<void> {
  const { key, loid, requestId, name } = upload
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    const sha256 = await digest(file)
    const body = { name, size: file.size, sha256, request_id: requestId ?? null }
    const begun = await untilAnswered(key, () => call(beginUpload, { params: { loid }, body }))
    const { id, state } = begun.document
    update(key, { documentId: id })
    if (state === 'uploading') {
      const there = new Set(begun.parts)
      const parts = Math.ceil(file.size / DOCUMENT_PART_BYTES)
      for (let number = 0; number < parts; number++) {
        const from = number * DOCUMENT_PART_BYTES
        const bytes = file.slice(from, from + DOCUMENT_PART_BYTES)
        if (!there.has(number)) {
          const query = { number: String(number) }
          await untilAnswered(key, () => call(storePart, { params: { id }, query, bytes }))
        }
        update(key, { sent: Math.min(file.size, from + DOCUMENT_PART_BYTES) })
      }
    }
    update(key, { state: 'checking' })
    const { document } = await untilAnswered(key, () => call(completeUpload, { params: { id } }))
    dismissUpload(key)
    onSent(document.name, document.state === 'failed' ? document.problem : null)
  } catch (error) {
    // A file that is changed or removed while it is read cannot be sent either.
    const problem = error instanceof DOMException ? 'The file cannot be read any more.' : failureText(error)
    update(key, { state: 'failed', problem })
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

/** Repeats a call until the server answers it. Waits longer each time, but no longer than until the browser is online. */
async function untilAnswered<Answer>(key: number, ask: () => Promise<Answer>): Promise<Answer> {
  for (let waitMs = 1_000; ; waitMs = Math.min(WAIT_MS_MAX, waitMs * 2)) {
    if (!uploads.some((one) => one.key === key))
      throw new Failure(401, 'The session has ended.', { code: 'UNAUTHORIZED' })
    try {
      const answer = await ask()
      update(key, { state: 'sending' })
      return answer
    } catch (error) {
      if (!isPassing(error)) throw error
      update(key, { state: 'waiting' })
      await pause(waitMs)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms)
    window.addEventListener('online', end, { once: true })
    function end() {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      resolve()
    }
  })
}

async function digest(file: File): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function update(key: number, changed: Partial<Upload>): void {
  change(uploads.map((one) => (one.key === key ? { ...one, ...changed } : one)))
}

function change(next: readonly Upload[]): void {
  const wasBusy = uploads.some(isBusy)
  uploads = next
  const isBusyNow = uploads.some(isBusy)
  if (isBusyNow && !wasBusy) window.addEventListener('beforeunload', keepPage)
  if (!isBusyNow) window.removeEventListener('beforeunload', keepPage)
  for (const listener of listeners) listener()
}

function isBusy({ state }: Upload): boolean {
  return state !== 'failed' && state !== 'warned'
}

/** Asks before the page is closed, because the files would not go on. */
function keepPage(event: BeforeUnloadEvent): void {
  event.preventDefault()
}
