// All of it is there without an #include.
#pragma once
