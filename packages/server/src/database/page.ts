/** A numbered page of rows; the first is page 1. */
export interface PageRequest {
  page: number;
  pageSize: number;
}

export function pageOffset({ page, pageSize }: PageRequest): number {
  return (page - 1) * pageSize;
}

export function pageSummary({ page, pageSize }: PageRequest, total: number) {
  return { total, page, pageSize, totalPages: Math.ceil(total / pageSize) };
}
