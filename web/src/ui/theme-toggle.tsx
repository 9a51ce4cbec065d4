import { Moon, Sun } from 'lucide-react'
import { Button } from './button.tsx'
import { chooseTheme, useTheme } from './theme.ts'

export function ThemeToggle() {
  const next = useTheme() === 'dark' ? 'light' : 'dark'
  return (
    <Button
      variant="ghost"
      size="icon"
      aria-label={`Switch to ${next} theme`}
      icon={next === 'dark' ? <Moon aria-hidden /> : <Sun aria-hidden />}
      onClick={() => chooseTheme(next)}
    />
  )
}
