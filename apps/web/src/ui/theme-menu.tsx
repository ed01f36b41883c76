import { Monitor, Moon, Sun } from 'lucide-react';
import { Button } from './button';
import { DropdownMenu, MenuItem, MenuLabel } from './dropdown-menu';
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
      <MenuLabel>Theme</MenuLabel>
      {themes.map(({ value, label, icon }) => (
        <MenuItem
          key={value}
          icon={icon}
          checked={value === theme}
          onSelect={() => setTheme(value)}
        >
          {label}
        </MenuItem>
      ))}
    </DropdownMenu>
  );
}
