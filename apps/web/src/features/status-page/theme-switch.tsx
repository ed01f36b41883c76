import { Moon, Sun } from 'lucide-react';
import { Button } from '@/ui/button';
import { useTheme } from '@/ui/theme';

export function ThemeSwitch() {
  const [theme, setTheme] = useTheme();
  const isLight =
    theme === 'light' || (theme === 'system' && document.documentElement.dataset.theme === 'light');
  const label = isLight ? 'Switch to dark theme' : 'Switch to light theme';
  const Icon = isLight ? Moon : Sun;
  return (
    <Button
      variant="ghost"
      size="icon"
      data-script="needed"
      aria-label={label}
      title={label}
      onClick={() => setTheme(isLight ? 'dark' : 'light')}
    >
      <Icon aria-hidden />
    </Button>
  );
}
