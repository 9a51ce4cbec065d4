import { useState } from 'react'
import { brokenText } from '../../api/failure.ts'
import { toast } from '../../ui/toast.ts'

/** A panel whose code loads when it first opens. `onOpen` is told false if the code does not come. */
export function useLatePanel<Panel>(load: () => Promise<Panel>, onOpen: (open: boolean) => void) {
  const [Panel, setPanel] = useState<Panel | null>(null)

  async function handleOpen(wanted: boolean) {
    onOpen(wanted)
    if (Panel) return
    try {
      const loaded = await load()
      setPanel(() => loaded)
    } catch {
      onOpen(false)
      toast.error(brokenText())
    }
  }

  return { Panel, open: (wanted: boolean) => void handleOpen(wanted) }
}
