/** The one place to take `toast` from: the package's other entry brings a toaster that the policy forbids. */
export { toast } from 'react-hot-toast/headless';
