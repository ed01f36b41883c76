import { Monitor, Moon, Sun } from 'lucide-react';
import { Button } from './button';
import { DropdownMenu, MenuChoices } from './dropdown-menu';
import { useTheme } from './theme';

const themes = [
  { value: 'dark', label: 'Dark', icon: Moon },
  { value: 'light', label: 'Light', icon: Sun },
  { value: 'system', label: 'System', icon: Monitor },
] as const;

export function ThemeMenu() {
  const [theme, setTheme] = useTheme();
  const current = themes.find(({ value }) => value === theme) ?? themes[0];
  return (
    <DropdownMenu
      align="end"
      trigger={
        <Button variant="ghost" size="icon" aria-label={`Theme: ${current.label}`}>
          <current.icon aria-hidden />
        </Button>
      }
    >
      <MenuChoices label="Theme" value={theme} onChange={setTheme} options={themes} />
    </DropdownMenu>
  );
}
