import componentsDark from './shots/components-dark.webp';
import componentsLight from './shots/components-light.webp';
import editIncidentDark from './shots/edit-incident-dark.webp';
import editIncidentLight from './shots/edit-incident-light.webp';
import statusPageDark from './shots/status-page-dark.webp';
import statusPageLight from './shots/status-page-light.webp';
import statusPagePhoneDark from './shots/status-page-phone-dark.webp';
import statusPagePhoneLight from './shots/status-page-phone-light.webp';

const desk = { width: 1280, height: 800 };
const screen = { width: 1024, height: 800 };
const phone = { width: 390, height: 760 };

/** Pictures of the running product, taken by `./just screenshots`. */
export const shots = {
  'status-page': { ...desk, dark: statusPageDark, light: statusPageLight },
  'edit-incident': { ...screen, dark: editIncidentDark, light: editIncidentLight },
  components: { ...screen, dark: componentsDark, light: componentsLight },
  'status-page-phone': { ...phone, dark: statusPagePhoneDark, light: statusPagePhoneLight },
} as const;

export type ShotName = keyof typeof shots;
