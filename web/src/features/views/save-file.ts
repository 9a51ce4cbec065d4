import { toast } from '../../ui/toast.ts'

type Download = typeof import('../../api/download.ts').download

/** Saves a file of a `file` route, or says why it could not. The code for it loads when it is used. */
export async function saveFile(...file: Parameters<Download>): Promise<void> {
  try {
    const { download } = await import('../../api/download.ts')
    await download(...file)
  } catch (error) {
    toast.failure(error)
  }
}
