import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

// document/start.ts reads the same key before the first paint.
const STORAGE_KEY = 'portal-theme'
const listeners = new Set<() => void>()

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, currentTheme)
}

/** Stores the choice. From then on it overrides the system's preference. */
export function chooseTheme(theme: Theme) {
  document.documentElement.dataset['theme'] = theme
  localStorage.setItem(STORAGE_KEY, theme)
  for (const listener of listeners) listener()
}

function currentTheme(): Theme {
  const chosen = document.documentElement.dataset['theme']
  if (chosen === 'light' || chosen === 'dark') return chosen
  return systemPreference().matches ? 'dark' : 'light'
}

function subscribe(listener: () => void) {
  const system = systemPreference()
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}

function systemPreference() {
  return window.matchMedia('(prefers-color-scheme: dark)')
}
