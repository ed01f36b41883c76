/**
 * The only import of `toast`: the toaster of the package's main entry violates the content
 * security policy.
 */
export { toast } from 'react-hot-toast/headless';
