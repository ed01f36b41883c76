-- A script of wrk: each request records an update of the next incident in a list. Parameters: a file with the identifier of an incident and a
-- bearer token on each line, and the number of the first line that is used.

local requests = {}
local next_request = 0

function init(arguments)
  local body = '{"status":"IDENTIFIED","message":"We are still looking into it, and know a little more than before"}'
  for line in io.lines(arguments[1]) do
    local incident, token = line:match("^(%S+) (%S+)$")
    local headers = { ["content-type"] = "application/json", ["authorization"] = "Bearer " .. token }
    local path = "/api/v1/incident/" .. incident .. "/updates/create"
    requests[#requests + 1] = wrk.format("POST", path, headers, body)
  end
  next_request = tonumber(arguments[2]) % #requests
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end
