import { useFormikContext } from 'formik';
import type { Component, ComponentInput } from '@/api/types';
import type { Edit } from '@/api/use-edit';
import { useRebase } from '@/api/use-rebase';
import { useItemNews } from '@/realtime/realtime';
import { inputOf } from './component-schema';

interface ComponentNewsProps {
  edit: Edit<Component>;
  loaded: Component;
}

/** Inside the form: brings in what others change. */
export function ComponentNews({ edit, loaded }: ComponentNewsProps) {
  const form = useFormikContext<ComponentInput>();
  useRebase(form, edit, loaded, inputOf);
  useItemNews('component-update', loaded.id, () => void edit.follow());
  return null;
}
